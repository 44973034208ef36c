import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'
import { AIRTEL_HEADER, importStatement, uploadStatement } from './statements.ts'

const WALLET = 'UGAIRTEL-deposit'
/** Days before today on the operator's clock, which is three hours ahead of UTC. */
const dayBefore = (days: number) => new Date(Date.now() + 3 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10)
const line = (id: string, days: number, [amount, balance]: readonly [number, number], at = '10:00:00') =>
  `${id},${dayBefore(days)} ${at},Merchant payment from 0751234567,Transaction Success,${amount},CR,0,${balance}`

/** Brings one line. */
async function bring(page: Page, { slug }: SandboxPerson, content: string): Promise<void> {
  await uploadStatement(page, slug, { wallet: WALLET, content: [AIRTEL_HEADER, content].join('\n') })
  await importStatement(page, 1)
}

async function openDay(page: Page, person: SandboxPerson, days: number): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, `/${person.slug}/close/days/${WALLET}/${dayBefore(days)}`)
  await waitForScripts(page)
}

/** Adds the tie up from top to bottom, as a person would. */
async function expectOneSum(page: Page): Promise<void> {
  const texts = await page.getByRole('table', { name: 'Tie to our books' }).getByRole('row').allInnerTexts()
  const rows = texts.slice(1).map((text) => text.replaceAll(/\s+/g, ' ').replace('−', '-').trim())
  const at = (label: string) => rows.findIndex((row) => row.startsWith(label))
  const amount = (row: string) => Number(/(-?[\d,.]+) UGX$/.exec(row)?.[1]?.replaceAll(',', ''))
  const sum = (from: string, until: string) => rows.slice(at(from), at(until)).reduce((total, row) => total + amount(row), 0)
  const of = (label: string) => amount(rows[at(label)] ?? '')
  expect(sum('Opening balance', 'Closing balance')).toBe(1_501)
  expect(of('Closing balance')).toBe(1_501)
  expect(sum('Our books at the beginning', 'Our books at the end')).toBe(of('Our books at the end'))
  const less = of('Closing balance less our books')
  expect(less).toBe(1_501 - of('Our books at the end'))
  expect(sum('Closing balance less', 'Difference of the movement')).toBe(less + of('Difference of the movement'))
  expect(of('Difference of the movement') + of('Carried over')).toBe(less)
  expect(of('Unexplained')).toBe(0)
}

test('a day with one unexplained unit cannot be signed; once it ties one person prepares it, another signs it, and two administrators reopen it', async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  await signIn(page, fatou, `/${fatou.slug}/close`)
  await bring(page, fatou, line('SG-0', 5, [10, 1_000]))
  await bring(page, fatou, line('SG-1', 4, [500, 1_501]))
  await openDay(page, fatou, 4)
  await expect(page.getByText('is unexplained. The day can be signed once this is 0.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Prepare' })).toBeDisabled()
  await bring(page, fatou, line('SG-2', 4, [1, 1_001], '09:00:00'))
  await openDay(page, fatou, 4)
  await expectOneSum(page)
  // S prepares, and signs once another person has.
  await expect(async () => {
    await page.keyboard.press('s')
    await expect(page.getByText('You prepared this day, so another person signs it.')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await expect(page.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await expectAccessibleEverywhere(page)

  await openDay(page, serge, 4)
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(fatou.name)).toBeVisible()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await expect(page.getByText(`Signed by ${serge.name}`)).toBeVisible()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Certificates' }).click()])
  expect(await readFile(await download.path(), 'utf8')).toContain(`"state":"signed"`)
  await page.getByRole('button', { name: 'Reopen' }).click()
  await dialog.getByLabel('Reason').fill('A line was missing')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(page.getByText('A line was missing')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Confirm' })).toHaveCount(0)
  await page.goto(`/${serge.slug}/close`)
  await expect(page.getByRole('link', { name: /Airtel Uganda, deposits.*signed/ }).first()).toBeVisible()
})

test.describe('in French on a phone', () => {
  test.use({ locale: 'fr-CM', viewport: { width: 360, height: 740 } })
  test('Board and Sign fit', async ({ page }) => {
    const fatou = personWith(['finance'])
    await signIn(page, fatou, `/${fatou.slug}/close/days/${WALLET}/${dayBefore(9)}`)
    await expect(page.getByRole('heading', { name: 'Signature' })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await page.goto(`/${fatou.slug}/close`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})
