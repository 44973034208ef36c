import type { Page } from 'playwright/test'
import { csv, xlsx } from '#server/reconciliation/testing/statements.ts'
import { expect, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'
import { AIRTEL_HEADER, importStatement, uploadStatement } from './statements.ts'

/** Six days before today on the operators' clocks: nobody else brings lines of that day. */
const day = () => new Date(Date.now() + 3 * 3_600_000 - 6 * 86_400_000).toISOString().slice(0, 10)
const airtel = (id: string, amount: number) => [
  id,
  `${day()} 10:00:00`,
  'Merchant payment from 0751234567',
  'Transaction Success',
  String(amount),
  'CR',
  '0',
  '',
]

/** A figure of the statement on the page, by its name. */
const figure = (page: Page, name: string) => page.locator('main dl div').filter({ hasText: name }).first()

test('only new lines: the same file under another name, saved as a workbook, and a file that overlaps it by half', async ({ page }) => {
  const fatou = personWith(['finance'])
  const wallet = 'UGAIRTEL-collect'
  const mark = `N${Date.now().toString(36).toUpperCase()}`
  const header = AIRTEL_HEADER.split(',')
  const first = [header, airtel(`${mark}1`, 4_000), airtel(`${mark}2`, 600)]
  await signIn(page, fatou, `/${fatou.slug}/close`)
  await uploadStatement(page, fatou.slug, { wallet, content: csv(first), name: 'monday.csv' })
  await importStatement(page, 2)
  const address = page.url()
  await uploadStatement(page, fatou.slug, { wallet, content: csv(first), name: 'another name.csv' })
  await expect(page).toHaveURL(address, { timeout: 20_000 })
  await expect(page.getByText('monday.csv')).toBeVisible()
  await uploadStatement(page, fatou.slug, { wallet, content: await xlsx(first), name: 'monday.xlsx' })
  await importStatement(page, 0)
  await uploadStatement(page, fatou.slug, { wallet, content: csv([header, airtel(`${mark}2`, 600), airtel(`${mark}3`, 50)]) })
  await importStatement(page, 1)
  await expect(figure(page, 'Lines already known')).toContainText('1')
  await page.getByRole('link', { name: 'Compare the last day' }).click()
  await page.getByRole('link', { name: 'Unknown payment' }).click()
  for (const line of [`${mark}1`, `${mark}2`, `${mark}3`]) await expect(page.getByText(line, { exact: true })).toHaveCount(1)
})

test('expired payments that the operator prints with their amounts are counted, and are in no sum', async ({ page }) => {
  const fatou = personWith(['finance'])
  const [year, month, date] = day().split('-')
  const at = `${date}-${month}-${year}`
  const mark = `X${Date.now().toString(36).toUpperCase()}`
  const row = (number: number, status: string, paidIn: string) =>
    `${mark}${number},\t${at} 12:0${number}:00,\t${at} 11:59:58,Payment,${status},XOF,${paidIn},,,Customer Pay,2290197000004 - AWA,,`
  const content = [
    'Organization Name:,KORA STORES BENIN',
    'Short Code:,,60123',
    `Time Period:,"From ${at} 00:00:00 to ${at} 23:59:59"`,
    `Report Date:,"${at} 23:59:59"`,
    ',',
    'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Currency,Paid In,Withdrawn,Balance,Reason Type,Opposite Party,Linked Transaction ID,Remark',
    row(1, 'Completed', '"1,500.00"'),
    row(2, 'Expired', '"9,000.00"'),
    row(3, 'Expired', '"7,000.00"'),
  ].join('\r\n')
  await signIn(page, fatou, `/${fatou.slug}/close`)
  await uploadStatement(page, fatou.slug, { wallet: 'BJMOOV', content })
  await expect(page.getByText('Ready to import')).toBeVisible({ timeout: 30_000 })
  await expect(figure(page, 'Failed, in no sum')).toContainText('2')
  await expect(figure(page, 'Money in')).toContainText('1,500')
  await importStatement(page, 3)
  await page.getByRole('link', { name: 'Compare the last day' }).click()
  const printed = page.getByRole('row', { name: /Unknown payment/ }).first()
  await expect(printed).toContainText('1,500')
  await expect(page.getByRole('main')).not.toContainText('17,500')
})
