import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright/test'
import { expect, expectAccessible, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

/** The digits of an amount as people read it: `6,369,185.50` → 636918550 hundredths. */
function minorOf(text: string): bigint {
  const plain = text.replace(/[^\d.]/g, '')
  const [whole = '0', cents = ''] = plain.split('.')
  return BigInt(whole + cents.padEnd(2, '0'))
}

/** The `Opening` and `Closing` of a statement and the movements between, in hundredths. */
async function readSums(page: Page): Promise<Record<string, bigint>> {
  const found: Record<string, bigint> = {}
  for (const row of await page.locator('main dl').first().locator('div').all()) {
    const name = await row.locator('dt').textContent()
    found[name ?? ''] = minorOf((await row.locator('dd').textContent()) ?? '')
  }
  return found
}

test('the finance officer closes the day: overview, totals, the list that adds up, balances, statement, export', async ({ page }) => {
  test.setTimeout(150_000)
  const person = personWith(['finance'])
  await signIn(page, person)
  await expect(page.getByRole('heading', { name: 'Unconfirmed money' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Operators' })).toContainText('Cameroon')
  await expect(page.getByRole('region', { name: /^Webhooks/ }).getByRole('link', { name: /^[\d,]+ delivered$/ })).toBeVisible()

  await page.getByRole('link', { name: 'Totals' }).first().click()
  await expect(page.getByText(/ to .* \(UTC\)$/)).toBeVisible()
  await page.getByRole('button', { name: /^Dates/ }).click()
  await page.getByRole('button', { name: 'All days' }).click()
  await expect(page).toHaveURL(/dates=always/)
  const card = page.getByRole('listitem').filter({ hasText: /^XOF/ }).getByRole('link')
  const amount = (await card.locator('span').nth(1).textContent()) ?? ''
  const count = (await card.locator('span').nth(2).textContent()) ?? ''
  await card.click()
  await expect(page).toHaveURL(/\/transactions\?/)
  await expect(page.locator('main header p').first()).toContainText(count.replace(/\D+$/, '').trim())
  await expect(page.locator('main header p').first()).toContainText(amount.replace(/\.00$/, ''))
  await page.goBack()

  await page.getByRole('button', { name: /^Operator/ }).click()
  await page.getByRole('checkbox', { name: 'Wave Senegal' }).check()
  await page.getByRole('checkbox', { name: 'Wave Senegal' }).press('Enter')
  await expect(page).toHaveURL(/operator=SNWAVE/)
  await expect(page.getByRole('table', { name: 'Totals by operator' }).locator('tbody tr')).toHaveCount(1)
  await page.getByText('As a table').click()
  await expect(page.getByRole('table', { name: /^By (day|month), XOF/ })).toBeVisible()
  const totalsFile = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  const totalsText = await readFile(await (await totalsFile).path(), 'utf8')
  expect(totalsText.trim().split('\r\n')).toHaveLength(2)
  expect(totalsText).toContain('SNWAVE')

  await page.getByRole('link', { name: 'Balances' }).first().click()
  await expect(page.getByText(/^As of /)).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(13)
  await page
    .getByRole('article', { name: 'MTN Cameroon' })
    .getByRole('link', { name: /^Statement/ })
    .click()
  await expect(page.getByText('The postings add up to the current balance.')).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText(`${person.application} · Printed by ${person.name}`)).toBeVisible()
  await expect(page.getByText(/^Printed on \d+ \w+ \d{4}, /)).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  const sums = await readSums(page)
  const { Opening = 0n, Collected = 0n, Funded = 0n, Fees = 0n, Closing = -1n } = sums
  expect(Opening + Collected + Funded - (sums['Paid out'] ?? 0n) - Fees).toBe(Closing)
  await page.getByRole('table', { name: 'By day' }).locator('tbody a').last().click()
  await expect(page).toHaveURL(/view=lines/)
  const lines = page.getByRole('table', { name: 'Lines' })
  await expect(lines.locator('tbody tr').first()).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export lines' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text).toContain('Transaction id')
  await lines.locator('tbody a').first().click()
  await expect(page).toHaveURL(/\/transactions\/[0-9a-f-]{36}/)
})

const textOf = async (place: Locator) => (await place.textContent()) ?? ''

/** Returns the count and the sums of a list, in hundredths by currency. */
async function readList(page: Page): Promise<{ count: number; sums: Record<string, bigint> }> {
  const lead = page.locator('main header p').first()
  await expect(lead).toContainText(/transactions?\./)
  const text = await textOf(lead)
  const amounts = [...text.matchAll(/([\d,.]+) (XAF|XOF|UGX)/g)]
  return {
    count: Number(minorOf(text.replace(/ transactions?\..*$/, '')) / 100n),
    sums: Object.fromEntries(amounts.map(([, amount = '', currency = '']) => [currency, minorOf(amount)])),
  }
}

/** Follows a link, compares the list that it opens, and returns. */
async function expectList(page: Page, link: Locator, expected: { count?: number; amount?: bigint; currency?: string }): Promise<void> {
  const from = page.url()
  await link.click()
  await expect(page).toHaveURL(/\/transactions\?/)
  const { count, sums } = await readList(page)
  if (expected.count !== undefined) expect(count).toBe(expected.count)
  // Shortly after midnight an operator may have no volume yet: then the list is empty and has no sum.
  if (expected.amount !== undefined) expect(sums).toEqual(expected.amount === 0n ? {} : { [expected.currency ?? '']: expected.amount })
  await page.goBack()
  await expect(page).toHaveURL(from)
}

const countOf = (text: string) => Number(minorOf(/^[\d,]+/.exec(text.trim())?.[0] ?? '') / 100n)

test('every figure of the overview opens a list with as many transactions, and the filter can be taken off', async ({ page }) => {
  test.setTimeout(120_000)
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person)
  const webhooks = page.getByRole('region', { name: /^Webhooks/ })
  const receivers = page.getByRole('table', { name: 'Receivers with undelivered webhooks' }).getByRole('link')
  // The second application has no traffic: nothing changes between the figure and its list.
  for (const link of [...(await webhooks.getByRole('list').getByRole('link').all()), ...(await receivers.all()).slice(0, 3)])
    await expectList(page, link, { count: countOf(await textOf(link)) })
  await webhooks
    .getByRole('list')
    .getByRole('link', { name: /delivered$/ })
    .first()
    .click()
  const chip = page.getByRole('link', { name: /^Webhook delivered · .* – .*Remove this filter$/ })
  await expect(chip).toBeVisible()
  await expectAccessible(page)
  await chip.click()
  await expect(page).toHaveURL(/\/transactions$/)
  await page.goBack()
  await page.goBack()
  const operators = page.getByRole('table', { name: 'Operators' }).locator('tbody tr').first()
  // Success and volume are always links, failures if there are any.
  const volume = operators.getByRole('cell').nth(3).getByRole('link')
  const [, currency = ''] = / (XAF|XOF|UGX)$/.exec(await textOf(volume)) ?? []
  await expectList(page, volume, { amount: minorOf(await textOf(volume)), currency })
  for (const failed of await operators.getByRole('cell').nth(2).getByRole('link').all())
    await expectList(page, failed, { count: countOf(await textOf(failed)) })
  await operators.getByRole('link', { name: /^Volume of/ }).click()
  await expect(page).toHaveURL(/\/totals\?.*operator=/)
})

test('every period, card and operator of the totals opens a list that adds up to it, by bar and by table', async ({ page }) => {
  test.setTimeout(120_000)
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/totals?dates=last7&status=FAILED`)
  const chart = page.getByRole('figure')
  await page.getByText('As a table').click()
  const row = chart
    .locator('tbody tr')
    .filter({ has: page.getByRole('link') })
    .last()
  const place = await row.evaluate((element) => [...(element.parentElement?.children ?? [])].indexOf(element))
  const cells = await row.getByRole('cell').allTextContents()
  const [, currency = ''] = / (XAF|XOF|UGX)/.exec(cells[1] ?? '') ?? []
  const [success, failed] = [minorOf((cells[1] ?? '').split(' ')[0] ?? ''), minorOf((cells[3] ?? '').split(' ')[0] ?? '')]
  const [succeeded, notSucceeded] = [countOf(cells[2] ?? ''), countOf(cells[4] ?? '')]
  const bars = await chart
    .locator('tbody tr')
    .evaluateAll((rows, last) => rows.slice(0, last).filter((each) => each.querySelector('a')).length, place)
  await chart.locator('svg a').nth(bars).click()
  expect(await readList(page)).toEqual({ count: succeeded + notSucceeded, sums: { [currency]: success + failed } })
  await page.goBack()
  await page.getByText('As a table').click()
  const figure = succeeded > 0 ? { cell: 1, amount: success, count: succeeded } : { cell: 3, amount: failed, count: notSucceeded }
  // By keyboard: without a pointer, the lists are reached through the table.
  await row.getByRole('cell').nth(figure.cell).getByRole('link').press('Enter')
  await expect(page).toHaveURL(/from=(\d{4}-\d\d-\d\d)&to=\1/)
  expect(await readList(page)).toEqual({ count: figure.count, sums: { [currency]: figure.amount } })
  await page.goBack()
  const operator = page.getByRole('table', { name: 'Totals by operator' }).locator('tbody tr').filter({ hasNotText: /\t0\t/ }).first()
  const amount = await textOf(operator.getByRole('link').nth(1))
  const [, ofOperator = ''] = / (XAF|XOF|UGX)/.exec(amount) ?? []
  const count = countOf(await textOf(operator.getByRole('link').first()))
  await expectList(page, operator.getByRole('link').nth(1), {
    count,
    ...(count > 0 ? { amount: minorOf(amount), currency: ofOperator } : {}),
  })
})

test('each movement of a statement opens its lines, which say the same sum', async ({ page }) => {
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/balances`)
  const card = page
    .getByRole('article')
    .filter({ has: page.getByRole('link', { name: /^Statement/ }) })
    .first()
  // The figure itself: its statement ends with it.
  await card.locator('dl a').first().click()
  await expect(page).toHaveURL(/\/balances\/[A-Z]+$/)
  await page.goto(`${page.url()}?dates=thisYear`)
  await expect(page.getByText('The postings add up to the current balance.')).toBeVisible()
  for (const [name, minor] of Object.entries(await readSums(page))) {
    if (minor === 0n || name === 'Opening' || name === 'Closing') continue
    const link = page.locator('main dl div').filter({ hasText: name }).getByRole('link')
    const [kind = ''] = /kind=[a-z]+/.exec((await link.getAttribute('href')) ?? '') ?? []
    await link.click()
    await expect(page).toHaveURL(new RegExp(`view=lines&${kind}$`))
    const sum = page.getByText(/^[\d,]+ lines?:/)
    await expect.poll(async () => minorOf((await textOf(sum)).replace(/^.*:/, ''))).toBe(minor)
  }
  await page.getByRole('link', { name: /Show all lines$/ }).click()
  await expect(page).not.toHaveURL(/kind=/)
})

test('finance sets a threshold, the balance is marked for everybody, and a maker is not offered to', async ({ page, browser }) => {
  test.setTimeout(120_000)
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/balances`)
  const card = page
    .getByRole('article', { name: 'Orange Mali' })
    .or(page.getByRole('article', { name: 'Moov Benin' }))
    .first()
  await card.getByRole('button', { name: /alert/i }).click()
  await page.getByLabel(/^Alert below/).fill('abc')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Enter an amount above zero')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel(/^Alert below/).fill('9,999,999,999')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText(/^Below 9,999,999,999 XOF/)).toBeVisible()
  const context = await browser.newContext({ baseURL: new URL(page.url()).origin, locale: 'en-GB' })
  const other = await context.newPage()
  const maker = personWith(['maker'], 0, 1)
  await signIn(other, maker, `/${maker.slug}/balances`)
  await expect(other.getByText(/^Below 9,999,999,999 XOF/)).toBeVisible()
  await expect(other.getByRole('button', { name: /alert/i })).toHaveCount(0)
  await expect(
    other
      .getByRole('article')
      .first()
      .getByRole('link', { name: /^Statement/ }),
  ).toHaveCount(0)
  await other.goto(`/${maker.slug}/balances/MOMOCM`)
  await expect(other.getByRole('heading', { level: 1, name: 'Your roles do not include this page' })).toBeVisible()
  await context.close()
  await card.getByRole('button', { name: /^Alert below/ }).click()
  await page.getByLabel(/^Alert below/).fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText(/^Below/)).toHaveCount(0)
})

test('a connection that is lost leaves the figures on the screen and says so', async ({ page, context }) => {
  test.setTimeout(90_000)
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/balances`)
  await expect(page.getByRole('article')).toHaveCount(13)
  await context.setOffline(true)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(13)
  await context.setOffline(false)
})

for (const { locale, colorScheme } of LOOKS) {
  test.describe(`${locale} ${colorScheme}`, () => {
    test.use({ locale, colorScheme })
    // sweep.spec.ts checks the pages without parameters.
    test('the lines of a statement and a list of webhooks are accessible and fit at every width', async ({ page }) => {
      const person = personWith(['finance'])
      await signIn(page, person)
      if (locale === 'fr-CM') await expect(page.getByRole('heading', { name: 'Montants non confirmés' })).toBeVisible()
      for (const place of ['/balances/SNFREE?view=lines&kind=fees', '/transactions?webhook=exhausted&size=25']) {
        await page.goto(`/${person.slug}${place}`)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectAccessibleEverywhere(page)
      }
    })
  })
}
