import { readFile } from 'node:fs/promises'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { personWith } from './sandbox.ts'
import { AIRTEL_HEADER, importStatement, uploadStatement } from './statements.ts'

/** Yesterday on the operator's clock, which is three hours ahead of UTC. */
const day = () => new Date(Date.now() + 3 * 3_600_000 - 86_400_000).toISOString().slice(0, 10)

/** A payment of 10,000 for which the operator took 150. */
const billed = () => `FEE-${Date.now()},${day()} 10:00:00,Merchant payment from 0751234567,Transaction Success,10000,CR,150,10000`

test('fees that were billed are shown by wallet and day, and the difference of the day lists the line that explains it', async ({
  page,
}) => {
  const fatou = personWith(['finance'])
  await signIn(page, fatou, `/${fatou.slug}/close`)
  await uploadStatement(page, fatou.slug, { wallet: 'UGAIRTEL-deposit', content: [AIRTEL_HEADER, billed()].join('\n') })
  await importStatement(page, 1)
  await page.goto(`/${fatou.slug}/close/fees?month=${day().slice(0, 7)}`)
  await page.getByRole('link', { name: 'Fees of Airtel Uganda, deposits by day' }).click()
  await expect(page.getByText('No fee is agreed for this wallet.').first()).toBeVisible()
  await expect(page.getByRole('row', { name: /Total/ })).toContainText('150')
  await expectAccessibleEverywhere(page)
  await page.goto(`/${fatou.slug}/close/days/UGAIRTEL-deposit/${day()}?class=difference`)
  const table = page.getByRole('region', { name: 'Difference to the statement' })
  await expect(table.getByText(/^FEE-/).first()).toBeVisible()
  await page.getByText('Download all').click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /CSV/ }).click()])
  expect(download.suggestedFilename()).toMatch(/^difference-UGAIRTEL-deposit-.*\.csv$/)
  await expectAccessibleEverywhere(page)
})

test('a fee of 1 % that was billed as 1.5 % is the difference and the claim, to the unit, once two people have set what was agreed', async ({
  page,
}) => {
  const [fatou, ines] = [personWith(['finance']), personWith(['administrator'])]
  const wallet = 'UGAIRTEL-collect'
  const address = `/${fatou.slug}/close/wallets/${wallet}`
  await signIn(page, fatou, address)
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Agreed fee (%)').fill('1')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toBeHidden()
  await page.context().clearCookies()
  await signIn(page, ines, address)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog).toBeHidden()
  await page.context().clearCookies()
  await signIn(page, fatou, `/${fatou.slug}/close`)
  const line = billed()
  await uploadStatement(page, fatou.slug, { wallet, content: [AIRTEL_HEADER, line].join('\n') })
  await importStatement(page, 1)
  await page.goto(`/${fatou.slug}/close/fees/${wallet}?month=${day().slice(0, 7)}`)
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Claim, In English, CSV' }).click()])
  const claimed = (await readFile(await download.path(), 'utf8')).split('\r\n').find((row) => row.includes(line.split(',')[0] ?? line))
  // Amount, agreed, billed, difference.
  expect(claimed).toContain('10000,100,150,50')
})

test('the finance of an application reads its settlements, and a day that nobody signed has none', async ({ page }) => {
  const fatou = personWith(['finance'])
  await signIn(page, fatou, `/${fatou.slug}/settlements`)
  await expect(page.getByRole('heading', { name: 'Settlements' })).toBeVisible()
  await page.getByRole('link', { name: 'Month before' }).click()
  await expect(page).toHaveURL(/month=/)
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await expectAccessibleEverywhere(page)
  const answer = await page.request.get(`/${fatou.slug}/settlements/OMCM/2020-01-01`)
  expect(answer.status()).toBe(404)
})
