import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright/test'
import { expect, expectAccessible, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'
import { minorOf, readList } from './transaction-list.ts'

const textOf = async (place: Locator) => ((await place.textContent()) ?? '').trim()

/** Days whose payments have ended: other specs pay today while a figure and its list are compared here. */
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const ENDED_DAYS = `from=${dayBefore(60)}&to=${dayBefore(3)}`

/** Chooses one thing in a chip. */
async function choose(page: Page, chip: string, choice: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${chip} `) }).click()
  await page.locator('[popover]:popover-open').getByRole('link', { name: choice, exact: true }).click()
  await expect(page.getByRole('button', { name: `${chip} ${choice}` })).toBeVisible()
}

test('rows, columns and figure in the address: each cell and total opens its list, Back returns, the file has the same table', async ({
  page,
}) => {
  test.setTimeout(240_000)
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/totals?${ENDED_DAYS}`)
  await page.getByRole('link', { name: 'Pivot table' }).click()
  await expect(page).toHaveURL(new RegExp(`/totals/pivot\\?${ENDED_DAYS}$`))
  await expect(page.getByRole('heading', { name: 'XAF · Collects' })).toBeVisible()
  await choose(page, 'Rows', 'Direction')
  await choose(page, 'Columns', 'Brand')
  await expect(page).toHaveURL(new RegExp(`${ENDED_DAYS}&rows=direction&columns=brand`))
  const table = page.getByRole('table', { name: 'Amount, XOF' })
  const heads = (await table.getByRole('columnheader').allTextContents()).map((head) => head.trim())
  expect(heads.slice(0, 2)).toEqual(['Direction', 'Orange'])
  expect(heads.at(-1)).toBe('Total')
  // Collects and deposits are rows here, so no column has a total.
  await expect(table.getByRole('row')).toHaveCount(3)
  const collects = table.getByRole('row', { name: /^Collects/ }).getByRole('cell')
  const cells = await collects.allTextContents()
  const figures = cells.slice(1).map(minorOf)
  expect(figures.slice(0, -1).reduce((sum, figure) => sum + figure, 0n)).toBe(figures.at(-1))
  for (const at of [1, cells.length - 1]) {
    const address = page.url()
    await collects.nth(at).getByRole('link').click()
    await expect(page).toHaveURL(/\/transactions\?.*status=SUCCESS&type=COLLECT/)
    expect((await readList(page)).sums).toEqual({ XOF: figures[at - 1] })
    await page.goBack()
    await expect(page).toHaveURL(address)
  }
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('link', { name: 'As CSV' }).click()
  const lines = (await readFile(await (await download).path(), 'utf8'))
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  expect(lines[0]?.slice(1, 4)).toEqual(['Direction', 'Direction', 'Orange'])
  const ofXof = lines.find(([currency, , row]) => currency === 'XOF' && row === 'Collects')
  expect(minorOf(ofXof?.at(-1) ?? '')).toBe(figures.at(-1))
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Columns None' })).toBeVisible()
})

test('counts of every status by day, and fees, that open their lists', async ({ page }) => {
  test.setTimeout(240_000)
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/totals/pivot?${ENDED_DAYS}`)
  await choose(page, 'View', 'Transactions by day and status')
  const table = page.getByRole('table', { name: 'Transactions' })
  const last = table.getByRole('row').last()
  const total = await textOf(last.getByRole('cell').last())
  await last.getByRole('cell').last().getByRole('link').click()
  await expect(page).toHaveURL(/\/transactions\?from=/)
  expect(BigInt((await readList(page)).count) * 100n).toBe(minorOf(total))
  await page.goBack()
  await choose(page, 'Figure', 'Fees')
  await choose(page, 'Rows', 'Operator')
  await choose(page, 'Columns', 'None')
  const fees = page.getByRole('table', { name: 'Fees, XAF' }).getByRole('row').last().getByRole('cell').last()
  const expected = minorOf(await textOf(fees))
  await fees.getByRole('link').click()
  await expect(page).toHaveURL(/fees=1/)
  expect((await readList(page)).fees).toBe(expected)
})

test('a saved table under its name, only among the views of the totals, shared with a colleague', async ({ page, browser }) => {
  test.setTimeout(240_000)
  const [owner, colleague] = [personWith(['finance']), personWith(['checker'])]
  await signIn(page, owner, `/${owner.slug}/totals/pivot?rows=month&measure=net&columns=month`)
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByLabel('Name').fill('Net by month')
  await page.getByLabel('Share with everybody in this application').check()
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByRole('button', { name: 'View Net by month' })).toBeVisible()
  await page.goto(`/${owner.slug}/transactions`)
  await page.getByRole('button', { name: /^View / }).click()
  await expect(page.getByRole('link', { name: 'All transactions' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Net by month' })).toHaveCount(0)
  const other = await browser.newPage()
  await signIn(other, colleague, `/${owner.slug}/totals/pivot`)
  await other.getByRole('button', { name: /^View / }).click()
  await other.getByRole('link', { name: /^Net by month/ }).click()
  await expect(other).toHaveURL(/\/totals\/pivot\?rows=month&measure=net$/)
  await other.close()
  await expectAccessible(page)
  await page.goto(`/${owner.slug}/totals/pivot`)
  await expectAccessible(page)
})

test('totals that are sent monthly: the mail brings the file that the page of the last month exports, until the box is cleared', async ({
  page,
}) => {
  test.setTimeout(300_000)
  const pool = await sandboxPool()
  const person = await newPerson(pool, ['finance'])
  await signIn(page, person, `/${person.slug}/totals/pivot?dates=thisYear&status=ALL&rows=brand&columns=direction&measure=count`)
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByLabel('Name').fill('Counts by brand')
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await expect(dialog.getByText(`is sent to ${person.email}`)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('Send monthly').check()
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('button', { name: 'View Counts by brand' }).click()
  await expect(page.getByRole('link', { name: /^Counts by brand\s*Sent monthly/ })).toBeVisible()
  // As if it had been switched on before the first of this month: the tasks of a minute do the rest.
  await pool.query(`update saved_views set sent_monthly_since = sent_monthly_since - interval '2 months' where person_id = $1`, [person.id])
  const mails = async () => {
    const found = await pool.query<{ files: { text: string }[] }>(
      `select attachments as files from sandbox_mails where recipient = $1 and attachments <> '[]'`,
      [person.email],
    )
    return found.rows
  }
  await expect.poll(mails, { timeout: 180_000 }).toHaveLength(1)
  const [mail] = await mails()
  await page.goto(`/${person.slug}/waiting`)
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Counts by brand/ })
    .click()
  await expect(page).toHaveURL(
    /\/totals\/pivot\?from=\d{4}-\d\d-01&to=\d{4}-\d\d-\d\d&status=ALL&rows=brand&columns=direction&measure=count$/,
  )
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('link', { name: 'As CSV' }).click()
  expect(mail?.files.map(({ text }) => text)).toEqual([await readFile(await (await download).path(), 'utf8')])
  await page.getByRole('button', { name: /^View / }).click()
  await page.getByRole('button', { name: 'Change view Counts by brand' }).click()
  await page.getByLabel('Send monthly').uncheck()
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByRole('link', { name: /^Counts by brand$/ })).toBeVisible()
  await page.goto(`/${person.slug}/waiting`)
  await expect(page.getByRole('heading', { name: 'Waiting for you', exact: true })).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: /^Counts by brand/ })).toHaveCount(0)
  await pool.end()
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the dialog of a saved table is accessible and fits every width', async ({ page }) => {
      const person = personWith(['finance'])
      await signIn(page, person, `/${person.slug}/totals/pivot`)
      await page.getByRole('button', { name: /Save this view|Enregistrer cette vue/ }).click()
      await expect(page.getByRole('dialog').getByRole('checkbox')).toHaveCount(2)
      await expectAccessibleEverywhere(page)
    })
  })
}
