import { expect, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

const data = (slug: string, rest: string) => `/api/back-office/${slug}/${rest}`

test('statement, balances and totals leave as whole CSV files, whatever the dates', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  const addresses: [string, RegExp][] = [
    ['balances/export', /^balances-/],
    ['totals/export?dates=always', /^totals-/],
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

test('a filter that no list can have gives a refusal or the whole list, never part of a file', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  for (const query of ['name=%00', 'name=a%00b', 'webhookTarget=http://%00', 'phone=%00', 'from=0000-01-01']) {
    const response = await page.request.post(data(person.slug, `transactions/export?${query}`), {
      form: { format: 'csv' },
      maxRedirects: 0,
    })
    const isWhole = response.status() === 200 && /#record,SHA-256 of the data,[0-9a-f]{64}/.test(await response.text())
    expect(isWhole || [303, 400].includes(response.status()), `${query}: ${response.status()}`).toBe(true)
  }
})

test('the page of exports says why an export was not made', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions/exports?refused=failed`)
  await expect(page.getByText('The export failed before the first row.')).toBeVisible()
  await page.goto(`/${person.slug}/transactions/exports?refused=busy`)
  await expect(page.getByText('has reached its limit of exports')).toBeVisible()
})
