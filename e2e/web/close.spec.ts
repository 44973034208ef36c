import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'
import { AIRTEL_HEADER, importStatement, uploadStatement } from './statements.ts'

/** Yesterday on the operator's clock, which is three hours ahead of UTC. */
const day = () => new Date(Date.now() + 3 * 3_600_000 - 86_400_000).toISOString().slice(0, 10)
const line = (id: string, amount: number, more = '0') =>
  `${id},${day()} 10:00:00,Merchant payment from 0751234567,Transaction Success,${amount},CR,0,${more}`

const wallet = 'UGAIRTEL-collect'

test('a statement is checked, imported and compared; a line is matched to nothing until a person looks at it', async ({ page }) => {
  const fatou = personWith(['finance'])
  await signIn(page, fatou, `/${fatou.slug}/close`)
  const content = [AIRTEL_HEADER, line('E2E-1', 500, '500'), line('E2E-2', 250, '750'), 'E2E-3,soon,x,Success,1,CR,0,'].join('\n')
  await uploadStatement(page, fatou.slug, { wallet, content })
  await expect(page.getByText('Ready to import')).toBeVisible({ timeout: 20_000 })
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
  expect(download.suggestedFilename()).toMatch(/^statement-rows-.*\.csv$/)
  await importStatement(page, 2)
  await page.getByRole('link', { name: 'Compare the last day' }).click()
  await expect(page.getByRole('heading', { name: /^Airtel Uganda, collects/ })).toBeVisible()
  await page.getByRole('link', { name: 'Unknown payment' }).click()
  await expect(page.getByText('E2E-1')).toBeVisible()
  await page.getByRole('button', { name: 'Match' }).first().click()
  await page.getByLabel('Transaction id').fill('00000000-0000-4000-8000-000000000000')
  await page.getByLabel('Note').fill('no such payment')
  await page.getByRole('dialog').getByRole('button', { name: 'Match' }).click()
  await expect(page.getByText('No transaction with this id fits')).toBeVisible()
  await page.keyboard.press('Escape')
  await expectAccessibleEverywhere(page)
})

test('refused with what to do, and kept in the list: the file of another wallet, and one whose columns have moved', async ({ page }) => {
  const fatou = personWith(['finance'])
  await signIn(page, fatou, `/${fatou.slug}/close/statements`)
  // Of the account for deposits.
  const content = ['Mobile Number,256700001302', AIRTEL_HEADER, line('E2E-8', 1)].join('\n')
  await uploadStatement(page, fatou.slug, { wallet, content, name: 'other.csv' })
  await expect(page.getByText(/256700001302/)).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText(/256700001301/)).toBeVisible()
  await uploadStatement(page, fatou.slug, { wallet, content: [`${AIRTEL_HEADER},Tax`, line('E2E-9', 1)].join('\n'), name: 'moved.csv' })
  await expect(page.getByText('The operator has changed its columns')).toBeVisible({ timeout: 20_000 })
  await page.getByRole('link', { name: 'All statements' }).click()
  await expect(page.getByText('moved.csv')).toBeVisible()
  await expect(page.getByText('other.csv')).toBeVisible()
  await expect(page.getByText('Refused').first()).toBeVisible()
})

test('an unknown header is mapped by one person with the keyboard, and its file is ready once another has confirmed it', async ({
  page,
  browser,
}) => {
  const fatou = personWith(['finance'])
  await signIn(page, fatou, `/${fatou.slug}/close`)
  const header = ['Quand', 'Numéro', 'Opération', 'Entrée', 'Sortie', 'Résultat'].join(';')
  const rows = [`${day()} 09:00;771234567;E2E-M1;1 500;;Fait`, `${day()} 09:30;771234568;E2E-M2;;200;Fait`]
  await uploadStatement(page, fatou.slug, { wallet: 'SNFREE', content: ['FREE MONEY', header, ...rows].join('\n') })
  await expect(page.getByText('No format has this header.')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText('Columns to be said')).toBeVisible()
  const address = page.url()
  await page.getByRole('button', { name: 'Read the first lines' }).press('Enter')
  await expect(page.getByText('Choose the column with the date and time.')).toBeVisible()
  // With the keyboard: a native select takes the first letters of an option.
  for (const [label, text] of [
    ['Date and time', '1. Quand'],
    ['Type', 'No column'],
    ['Operator’s transaction ID', '3. Opération'],
    ['Money in', '4. Entrée'],
    ['Money out', '5. Sortie'],
    ['Status', '6. Résultat'],
  ] as const) {
    await page.getByLabel(label, { exact: true }).focus()
    await page.keyboard.type(text.slice(0, 2))
    await expect(page.getByLabel(label, { exact: true }).locator('option:checked')).toHaveText(text)
  }
  await page.getByLabel('Statuses that mean success').fill('Fait')
  await page.getByRole('button', { name: 'Read the first lines' }).press('Enter')
  const lines = page.getByRole('region', { name: 'The first lines, as they are read' })
  await expect(lines.getByText('E2E-M1')).toBeVisible()
  await expect(lines.getByText('1,500')).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.getByRole('button', { name: 'Propose' }).press('Enter')
  await expect(page.locator('main dd').filter({ hasText: '4. Entrée' }).first()).toBeVisible()
  const ines = personWith(['administrator'])
  const other = await browser.newPage()
  await signIn(other, ines, new URL(address).pathname)
  await other.getByRole('button', { name: 'Confirm' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await expect(other.getByText('Ready to import')).toBeVisible({ timeout: 20_000 })
  await expect(other.getByText('Columns as confirmed by two people')).toBeVisible()
  await other.close()
})

test('a wallet is changed by two people, and the page says what would differ', async ({ page }) => {
  const fatou = personWith(['finance'])
  await signIn(page, fatou, `/${fatou.slug}/close/wallets/BFOM`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Account number').fill('76000802')
  await dialog.getByLabel('Agreed fee (%)').fill('1')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(page.getByText('76000802')).toBeVisible()
  await expect(page.getByText('Operator’s fee', { exact: true })).toBeVisible()
  await expectAccessibleEverywhere(page)
})
