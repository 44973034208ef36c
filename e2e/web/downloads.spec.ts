import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import readWorkbook from 'read-excel-file/node'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

const data = (slug: string, rest: string) => `/api/back-office/${slug}/${rest}`

test('statement, balances and totals leave as whole CSV files, regardless of the dates', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  const addresses: [string, RegExp][] = [
    ['balances/export', /^balances-/],
    ['totals/export?dates=always', /^totals-/],
    ['transactions/unconfirmed/export', /^unconfirmed-/],
    ['totals/pivot/export?dates=always&rows=month&columns=operator', /^totals-/],
    ['balances/MOMOCM/export?from=0001-01-01&to=9999-12-31', /^statement-/],
    ['balances/MOMOCM/export?from=0001-01-01&to=9999-12-31&view=lines', /^statement-/],
    ['balances/MOMOCM/export?dates=always&view=lines&kind=collect', /^statement-/],
  ]
  for (const [address, name] of addresses) {
    const response = await page.request.get(data(person.slug, address))
    expect(response.status(), address).toBe(200)
    expect(response.headers()['content-type']).toBe('text/csv; charset=utf-8')
    expect(response.headers()['content-disposition']?.replace('attachment; filename="', '')).toMatch(name)
    const text = await response.text()
    expect(text.startsWith('\ufeff') && text.endsWith('\r\n'), address).toBe(true)
    const lines = text.trimEnd().split('\r\n')
    expect(lines.length, address).toBeGreaterThan(1)
  }
  expect((await page.request.get(data(person.slug, 'balances/NOBODY/export'))).status()).toBe(404)
  const foreign = { headers: { 'sec-fetch-site': 'cross-site' } }
  expect((await page.request.get(data(person.slug, 'balances/export'), foreign)).status()).toBe(403)
})

test('a refusal or the whole list for a filter that no list can have, never part of a file', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  for (const query of ['name=%00', 'name=a%00b', 'webhookTarget=http://%00', 'phone=%00', 'from=0000-01-01']) {
    const response = await page.request.post(data(person.slug, `transactions/export?${query}`), {
      form: { format: 'csv' },
      maxRedirects: 0,
    })
    // A transfer that is aborted rejects here.
    const isWhole = response.status() === 200 && (await response.text()).endsWith('\r\n')
    expect(isWhole || [303, 400].includes(response.status()), `${query}: ${response.status()}`).toBe(true)
  }
})

test('the page of exports says why an export was not made', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions/exports?refused=failed`)
  await expect(page.getByText('The export failed before the first row.')).toBeVisible()
  await page.goto(`/${person.slug}/transactions/exports?refused=busy`)
  await expect(page.getByText('has reached its limit of concurrent exports')).toBeVisible()
})

/** The rows of a CSV without quoted fields, below its heads. */
function readCsv(bytes: Buffer): { heads: string[]; rows: string[][] } {
  const [heads = [], ...rows] = bytes
    .toString('utf8')
    .replace('\ufeff', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  return { heads, rows }
}

async function downloadBy(page: Page, click: () => Promise<void>): Promise<Buffer> {
  const download = page.waitForEvent('download')
  await click()
  return readFile(await (await download).path())
}

async function exportList(page: Page, name: string | RegExp): Promise<Buffer> {
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  return downloadBy(page, () => page.getByRole('button', { name }).click())
}

const listOf = (slug: string) => `/${slug}/transactions?operator=MOMOCM&status=FAILED&size=25`

test('a CSV of the list has the shown columns in their order, phone numbers of digits, and nothing behind the last row', async ({
  page,
}) => {
  const person = personWith(['finance'])
  await signIn(page, person, listOf(person.slug))
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const hidden of ['Type', 'Note', 'Operator']) await page.getByRole('checkbox', { name: hidden, exact: true }).uncheck()
  await page.getByRole('button', { name: 'Move Customer up' }).click()
  await page.keyboard.press('Escape')
  const { heads, rows } = readCsv(await exportList(page, /rows as CSV$/))
  expect(heads).toEqual(['createdAt', 'status', 'adjustments', 'receiverName', 'phoneReceiver', 'amount', 'currency', 'id'])
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    expect(row).toHaveLength(heads.length)
    expect(row[4]).toMatch(/^237\d{9}$/)
    expect(row[7]).toMatch(/^[0-9a-f-]{36}$/)
  }
})

test('a workbook of all columns has text, dates and numbers, and the record on its second sheet', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, listOf(person.slug))
  const sheets = await readWorkbook(await exportList(page, 'All columns as XLSX'))
  expect(sheets.map(({ sheet }) => sheet)).toEqual(['Transactions', 'Record'])
  const [heads = [], first = []] = sheets[0]?.data ?? []
  const cell = (head: string) => first[heads.indexOf(head)]
  expect(heads).toHaveLength(24)
  expect(cell('Phone number')).toMatch(/^237\d{9}$/)
  expect(cell('Created (Africa/Douala)')).toBeInstanceOf(Date)
  expect(typeof cell('Amount')).toBe('number')
  const record = new Map(sheets[1]?.data.map(([name, value]) => [name, value]))
  expect(record.get('Rows')).toBe(String((sheets[0]?.data.length ?? 0) - 1))
})

test('the export history has the same file again, its record, and the check that it is unchanged', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, listOf(person.slug))
  const bytes = await exportList(page, /rows as XLSX$/)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await page.goto(`/${person.slug}/transactions/exports`)
  await expect(page.getByText('For a spreadsheet, export XLSX')).toBeVisible()
  const row = page.getByRole('row').filter({ has: page.locator(`code[title="${sha256}"]`) })
  await expect(row).toContainText('8 columns')
  const again = await downloadBy(page, () => row.getByRole('link', { name: 'Download again' }).click())
  expect(again.equals(bytes)).toBe(true)
  const record = JSON.parse((await downloadBy(page, () => row.getByRole('link', { name: 'Record' }).click())).toString('utf8'))
  expect(record).toMatchObject({ fileSha256: sha256, exportedBy: person.name, filter: 'status=FAILED&operator=MOMOCM', format: 'xlsx' })
  await page.getByLabel('Select an exported file').setInputFiles({ name: 'again.xlsx', mimeType: 'application/zip', buffer: again })
  await expect(page.getByText(`Unchanged. Exported by ${person.name}`)).toBeVisible()
  await expectAccessible(page)
})
