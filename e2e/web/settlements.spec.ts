import type { Page } from 'playwright/test'
import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

const HEADER = 'Transaction ID,Transaction Date,Description,Status,Transaction Amount,Credit/Debit,Fee,Balance'
/** Yesterday on the operator's clock, which is three hours ahead of UTC. */
const day = () => new Date(Date.now() + 3 * 3_600_000 - 86_400_000).toISOString().slice(0, 10)

async function bring(page: Page, slug: string): Promise<void> {
  await page.goto(`/${slug}/close/statements/new`)
  await page.getByLabel('Wallet').selectOption('UGAIRTEL-deposit')
  const line = `FEE-${Date.now()},${day()} 10:00:00,Merchant payment from 0751234567,Transaction Success,10000,CR,150,10000`
  const file = { name: 'fees.csv', mimeType: 'text/csv', buffer: Buffer.from([HEADER, line].join('\n')) }
  await page.getByLabel('Statement', { exact: true }).setInputFiles(file)
  await page.getByRole('button', { name: 'Upload and check' }).click()
  await page.getByRole('button', { name: 'Import new lines: 1' }).click({ timeout: 20_000 })
  await expect(page.getByRole('link', { name: 'Compare the last day' })).toBeVisible({ timeout: 20_000 })
}

test('fees that were billed are shown by wallet and day, and the difference of the day lists the line that explains it', async ({
  page,
}) => {
  const fatou = personWith(['finance'])
  await signIn(page, fatou, `/${fatou.slug}/close`)
  await bring(page, fatou.slug)
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
