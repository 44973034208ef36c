import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expect, expectAccessible, signIn, test, WIDTHS } from './fixtures.ts'
import { personWith } from './sandbox.ts'

/** The digits of an amount as people read it: `6,369,185.50` → 636918550 hundredths. */
function minorOf(text: string): bigint {
  const plain = text.replace(/[^\d.]/g, '')
  const [whole = '0', cents = ''] = plain.split('.')
  return BigInt(whole + cents.padEnd(2, '0'))
}

/** The `Opening` and `Closing` of a statement and what stands between, in hundredths. */
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
  await expect(page.getByText(/delivered, .* attempts failed/)).toBeVisible()

  await page.getByRole('link', { name: 'Totals' }).first().click()
  await expect(page.getByText('both days included, UTC.')).toBeVisible()
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
  await expect(page.getByRole('table', { name: 'Totals per operator' }).locator('tbody tr')).toHaveCount(1)
  await page.getByText('As a table').click()
  await expect(page.getByRole('table', { name: /^By (day|month), XOF/ })).toBeVisible()
  const totalsFile = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  const totalsText = await readFile(await (await totalsFile).path(), 'utf8')
  expect(totalsText.trim().split('\r\n')).toHaveLength(2)
  expect(totalsText).toContain('SNWAVE')

  await page.getByRole('link', { name: 'Balances' }).first().click()
  await expect(page.getByText('Held money is already taken out')).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(13)
  await page
    .getByRole('article', { name: 'MTN Cameroon' })
    .getByRole('link', { name: /^Statement/ })
    .click()
  await expect(page.getByText('All postings add up to the present balance.')).toBeVisible()
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

test('finance sets a threshold, the balance is marked for everybody, and a maker is not offered to', async ({ page, browser }) => {
  test.setTimeout(120_000)
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/balances`)
  const card = page
    .getByRole('article', { name: 'Orange Mali' })
    .or(page.getByRole('article', { name: 'Moov Benin' }))
    .first()
  await card.getByRole('button', { name: /^Warn/ }).click()
  await page.getByLabel(/^Warn below/).fill('abc')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Write an amount above zero')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel(/^Warn below/).fill('9,999,999,999')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText(/^Below 9,999,999,999 XOF/)).toBeVisible()
  const context = await browser.newContext({ baseURL: new URL(page.url()).origin, locale: 'en-GB' })
  const other = await context.newPage()
  const maker = personWith(['maker'], 0, 1)
  await signIn(other, maker, `/${maker.slug}/balances`)
  await expect(other.getByText(/^Below 9,999,999,999 XOF/)).toBeVisible()
  await expect(other.getByRole('button', { name: /^Warn/ })).toHaveCount(0)
  await expect(
    other
      .getByRole('article')
      .first()
      .getByRole('link', { name: /^Statement/ }),
  ).toHaveCount(0)
  await other.goto(`/${maker.slug}/balances/MOMOCM`)
  await expect(other.getByText('Your roles do not include this page')).toBeVisible()
  await context.close()
  await card.getByRole('button', { name: /^Warns below/ }).click()
  await page.getByLabel(/^Warn below/).fill('')
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

for (const locale of ['en-GB', 'fr-CM']) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${locale} ${colorScheme}`, () => {
      test.use({ locale, colorScheme })
      test('overview, totals, balances and statement are accessible and fit at every width', async ({ page }) => {
        test.setTimeout(150_000)
        const person = personWith(['finance'])
        await signIn(page, person)
        if (locale === 'fr-CM') await expect(page.getByRole('heading', { name: 'Argent non confirmé' })).toBeVisible()
        for (const place of ['', '/totals', '/balances', '/balances/MOMOCM', '/balances/MOMOCM?view=lines']) {
          await page.goto(`/${person.slug}${place}`)
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 800 })
            await expectAccessible(page)
            expect(
              await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
              `${place} at ${width}`,
            ).toBeLessThanOrEqual(0)
          }
        }
      })
    })
  }
}
