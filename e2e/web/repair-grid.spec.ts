import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expect, expectAccessible, expectAccessibleEverywhere, LOOKS, signIn, signInWithoutPage, test } from './fixtures.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

const HEAD = 'Téléphone;Nom;Montant;Opérateur'

/** Letters only: a row with a longer number is not taken for headers. */
function unique(): string {
  return randomUUID()
    .slice(0, 8)
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')
}

async function upload(page: Page, person: SandboxPerson, lines: readonly string[]): Promise<void> {
  await signIn(page, person, `/${person.slug}/batches/new`)
  const buffer = Buffer.from([HEAD, ...lines].join('\n'))
  await expect(async () => {
    // Opened since the last try, on a machine that was slow.
    if (/\/batches\/[0-9a-f]{8}-/.test(page.url())) return
    await page.locator('input[type=file]').setInputFiles({ name: `Paie ${unique()}.csv`, mimeType: 'text/csv', buffer })
    await page.locator('main form button[type=submit]').click()
    await expect(page).toHaveURL(/\/batches\/[0-9a-f]{8}-/, { timeout: 5_000 })
  }).toPass()
}

const lineOf = (page: Page, row: number) =>
  page.getByRole('row').filter({ has: page.getByRole('cell', { name: new RegExp(`(^|\\s)${row}$`) }) })
const cellOf = (page: Page, row: number, field: string) => page.getByRole('button', { name: new RegExp(`edit ${field}, row ${row}$`) })
const editorOf = (page: Page, row: number, field: string) => page.getByLabel(`${field}, row ${row}`, { exact: true })
const bar = (page: Page) => page.getByRole('region', { name: 'Corrections' })
const problems = (page: Page, count: number) => expect(page.getByRole('link', { name: `Problems ${count}`, exact: true })).toBeVisible()

/** Text from elsewhere, pasted where the focus is. */
async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.keyboard.press('Control+v')
}

test('by keyboard alone: Enter opens a cell, Escape restores it, Tab saves and goes to the next problem, Shift+Tab back', async ({
  page,
}) => {
  const id = unique()
  await upload(page, personWith(['maker']), [
    `237677209341;Awa ${id};cinq;MOMOCM`,
    `237677209342;Koffi ${id};700;MOMOCM`,
    `2.37E+11;Ada ${id};six;MOMOCM`,
  ])
  await problems(page, 2)
  await cellOf(page, 2, 'Amount').focus()
  await page.keyboard.press('Enter')
  await expect(editorOf(page, 2, 'Amount')).toBeFocused()
  await page.keyboard.type('999')
  await page.keyboard.press('Escape')
  await expect(cellOf(page, 2, 'Amount')).toBeFocused()
  await expect(cellOf(page, 2, 'Amount')).toContainText('cinq')
  await page.keyboard.press('Enter')
  await page.keyboard.type('nine')
  await page.keyboard.press('Tab')
  await expect(editorOf(page, 4, 'Phone number')).toBeFocused()
  await page.keyboard.type('237677209343')
  await page.keyboard.press('Tab')
  await expect(editorOf(page, 4, 'Amount')).toBeFocused()
  // Still wrong, so it is a problem of the list, and not the one before.
  await expect(lineOf(page, 2)).toContainText('Amount in the file: cinq')
  await page.keyboard.press('Shift+Tab')
  await expect(editorOf(page, 2, 'Amount')).toBeFocused()
  await expect(editorOf(page, 2, 'Amount')).toHaveValue('nine')
  await expectAccessible(page)
  await page.keyboard.type('500')
  await page.keyboard.press('Tab')
  await expect(editorOf(page, 4, 'Amount')).toBeFocused()
  await page.keyboard.type('600')
  await page.keyboard.press('Enter')
  await problems(page, 0)
  await expect(page.getByText('3 rows', { exact: true }).first()).toBeVisible()
  await expect(lineOf(page, 4)).toContainText('600 XAF')
})

test('Tab goes on over the end of a page to the next problem, and the rows that were corrected are stored', async ({ page }) => {
  const id = unique()
  const lines = Array.from({ length: 60 }, (_, index) => `2376772${String(index).padStart(5, '0')};Awa ${id};cinq;MOMOCM`)
  await upload(page, personWith(['maker']), lines)
  await problems(page, 60)
  await cellOf(page, 51, 'Amount').click()
  await editorOf(page, 51, 'Amount').press('Tab')
  await expect(editorOf(page, 52, 'Amount')).toBeFocused()
  await expect(page).toHaveURL(/page=1/)
  await page.keyboard.type('500')
  await page.keyboard.press('Shift+Tab')
  await expect(editorOf(page, 51, 'Amount')).toBeFocused()
  await problems(page, 59)
  await page.keyboard.press('Escape')
})

test('a pasted column is shown before it fills the rows below, and is taken back as it was', async ({ page }) => {
  const id = unique()
  const lines = Array.from({ length: 60 }, (_, index) => `2376773${String(index).padStart(5, '0')};Awa ${id};cinq;MOMOCM`)
  await upload(page, personWith(['maker']), lines)
  await cellOf(page, 2, 'Amount').focus()
  await paste(page, Array.from({ length: 55 }, (_, index) => (index === 1 ? '' : `${500 + index}`)).join('\r\n'))
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('54 cells would change, from row 2 to row 56. Only rows under “Problems” are filled.')
  await expect(dialog.getByRole('row').filter({ hasText: '554' })).toContainText('cinq')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Change 54 cells' }).click()
  await problems(page, 6)
  await expect(bar(page)).toContainText('Amount: 54 cells corrected')
  // Each had another new value, so none of them is offered for other rows.
  await expect(bar(page).getByRole('button', { name: /Replace/ })).toHaveCount(0)
  await bar(page).getByRole('button', { name: 'Undo' }).click()
  await problems(page, 60)
  await expect(lineOf(page, 2)).not.toContainText('in the file')
  await cellOf(page, 51, 'Amount').focus()
  await paste(page, '900\n'.repeat(13))
  await expect(dialog).toContainText('2 pasted values have no row and are left out.')
  await page.keyboard.press('Escape')
  await cellOf(page, 2, 'Amount').focus()
  await paste(page, 'a\t1\nb\t2')
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Several columns were pasted. Copy one column.')
  await problems(page, 60)
})

test('the same mistake elsewhere is corrected alike after one correction; a row is as in the file again', async ({ page }) => {
  const id = unique()
  await upload(page, personWith(['maker']), [
    `237677209341;Awa ${id};500;Mobile`,
    `237677209342;Koffi ${id};500;Mobile`,
    `237677209343;Ada ${id};500;Mobil`,
    `237677209344;Yao ${id};500;Mobile`,
  ])
  await cellOf(page, 2, 'Operator').click()
  await editorOf(page, 2, 'Operator').selectOption('MOMOCM')
  await page.keyboard.press('Enter')
  await bar(page).getByRole('button', { name: 'Replace “Mobile” by “MOMOCM” in 2 other rows' }).click()
  await problems(page, 1)
  await expect(bar(page)).toContainText('Operator: 2 cells corrected')
  await page.locator('a[href*="show=all"]').click()
  await expect(lineOf(page, 5)).toContainText('Operator in the file: Mobile')
  await lineOf(page, 5).getByRole('button', { name: 'As in the file' }).click()
  await problems(page, 2)
  await expect(lineOf(page, 5)).toContainText('“Mobile” is not an operator')
})

test('what was typed is kept after a refusal because of a colleague, and without a connection; saved again, it is stored', async ({
  page,
  browser,
}) => {
  const id = unique()
  const person = personWith(['maker'])
  await upload(page, person, [`237677209341;Awa ${id};cinq;MOMOCM`, `237677209342;Koffi ${id};six;MOMOCM`])
  await cellOf(page, 2, 'Amount').click()
  const context = await browser.newContext({ baseURL: new URL(page.url()).origin })
  const other = await context.newPage()
  await signInWithoutPage(other.request, person)
  await other.goto(page.url())
  await other
    .getByRole('button', { name: /^Leave out/ })
    .nth(1)
    .click()
  await other.getByRole('dialog').getByLabel('Reason').fill('Left')
  await other.keyboard.press('Enter')
  await expect(other.getByRole('row').filter({ hasText: `Koffi ${id}` })).toHaveCount(0)
  await context.close()
  await page.keyboard.type('500')
  await page.keyboard.press('Enter')
  await expect(bar(page).getByRole('alert')).toContainText('Somebody else has changed this batch')
  await expect(cellOf(page, 2, 'Amount')).toContainText('500')
  await problems(page, 1)
  await expectAccessible(page)
  await bar(page).getByRole('button', { name: 'Save 1 cell again' }).click()
  await problems(page, 0)
  await expect(bar(page).getByRole('alert')).toHaveCount(0)
  await cellOf(page, 2, 'Amount').click()
  await page.context().setOffline(true)
  await page.keyboard.type('501')
  await page.keyboard.press('Enter')
  await expect(bar(page).getByRole('alert')).toContainText('Save it again: nothing is changed twice.')
  await expect(cellOf(page, 2, 'Amount')).toContainText('501')
  await page.context().setOffline(false)
  // Nor is it lost with the page.
  await page.reload()
  await expect(bar(page).getByRole('alert')).toContainText('These texts were not saved when the page was left.')
  await bar(page).getByRole('button', { name: 'Save 1 cell again' }).click()
  await expect(bar(page).getByRole('button', { name: 'Undo' })).toBeVisible()
  await expect(bar(page)).toContainText('Row 2, Amount')
  await page.reload()
  await expect(lineOf(page, 2)).toContainText('501 XAF')
})

for (const look of LOOKS) {
  test.describe(`the grid, ${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('accessible and within the screen at every width, with an open cell', async ({ page }) => {
      const person = personWith(['maker'])
      await signIn(page, person, `/${person.slug}/batches?q=Primes`)
      await page.getByRole('link', { name: 'Primes du trimestre' }).click()
      await page.locator('button[data-cell$="amount"]').first().click()
      await expect(page.locator('td input')).toBeFocused()
      await expectAccessibleEverywhere(page)
    })
  })
}
