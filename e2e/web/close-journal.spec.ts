import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

async function open(page: Page, person: SandboxPerson): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, `/${person.slug}/close/journal`)
  await waitForScripts(page)
}

/** Downloads a file with the form, by keyboard, and returns its bytes. */
async function download(page: Page, format: string): Promise<Buffer> {
  await page.getByLabel('Format').selectOption(format)
  await page.getByRole('button', { name: 'Download' }).focus()
  const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  return readFile(await file.path())
}

test('finance finds the entry of a signed day, sees that it balances, and downloads it for three programs, twice with the same bytes', async ({
  page,
}) => {
  await open(page, personWith(['finance']))
  await expectAccessibleEverywhere(page)
  const entry = page.getByRole('link', { name: 'Entry 1', exact: true })
  await expect(entry).toBeVisible()
  const [generic, sage, odoo] = [await download(page, 'csv'), await download(page, 'sage'), await download(page, 'odoo')]
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  expect(digest(await download(page, 'sage'))).toBe(digest(sage))
  expect(sage.toString('latin1')).toMatch(/^MM;\d\d\/\d\d\/\d\d;1;552;;OMCM Mobile money;/)
  expect(odoo.toString()).toMatch(/^date,ref,journal_id,line_ids\/account_id.*\r\n\d{4}-\d\d-\d\d,MM\/1,MM,552,/)
  const rows = generic.toString().trimEnd().split('\r\n').slice(1)
  const lines = rows.map((row) => row.split(',')).filter(([number]) => number === '1')
  const sumOf = (column: number) => lines.reduce((sum, cells) => sum + Number(cells[column]), 0)
  expect(sumOf(8)).toBeGreaterThan(0)
  expect(sumOf(8)).toBe(sumOf(9))

  await entry.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Entry 1' })).toBeVisible()
  await expect(page.getByRole('row', { name: /kora-stores/ })).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.getByRole('link', { name: 'Signed day' }).click()
  await expect(page.getByText(/^Signed by/)).toBeVisible()
})

test('an administrator proposes other accounts, which a person of finance confirms; a code that is a formula is refused in the form', async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  await open(page, serge)
  await expect(page.getByRole('button', { name: 'Download' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Change accounts' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Taxes').fill('=1+1')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByText('A code has 1 to 13 letters, digits or points')).toBeVisible()
  await dialog.getByLabel('Taxes').fill('6481')
  await dialog.getByText('Wallets with an account of their own').click()
  await dialog.getByLabel('Airtel Uganda, deposits').fill('55209')
  await expectAccessibleEverywhere(page)
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(page.getByText('UGAIRTEL-deposit: 55209')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Confirm' })).toHaveCount(0)

  await open(page, fatou)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  const accounts = page.getByRole('region', { name: 'Accounts' })
  await expect(accounts.getByText('6481')).toBeVisible()
  await expect(accounts.getByText('Airtel Uganda, deposits: 55209')).toBeVisible()
})

test.describe('in French on a phone', () => {
  test.use({ locale: 'fr-CM', viewport: { width: 360, height: 740 } })
  test('the journal and an entry fit', async ({ page }) => {
    const fatou = personWith(['finance'])
    await signIn(page, fatou, `/${fatou.slug}/close/journal`)
    await page.getByRole('link', { name: 'Écriture 1', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Écriture 1' })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})
