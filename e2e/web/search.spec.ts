import type { Page } from 'playwright/test'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

/** A list of the days before today: what other tests begin meanwhile becomes known to the suggestions only some time later. */
const EARLIER = `transactions?to=${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}`

/** The first transaction of the list, as it is shown. */
async function firstRow(page: Page): Promise<{ id: string; name: string }> {
  const row = page.locator('tr[id^=row-]').first()
  const id = (await row.getAttribute('id'))?.slice('row-'.length) ?? ''
  const detail = await page.request.get(`/api/back-office/${new URL(page.url()).pathname.split('/')[1]}/transactions/${id}`)
  return { id, name: (await detail.json()).customerName }
}

async function type(page: Page, text: string): Promise<void> {
  const field = page.locator('input[name=q]:visible')
  await expect(async () => {
    await page.keyboard.press('/')
    await expect(field).toBeFocused({ timeout: 250 })
  }).toPass()
  await page.keyboard.type(text)
}

test('the start of a name suggests the customer, and two keys open their transactions', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/${EARLIER}`)
  const { name } = await firstRow(page)
  await type(page, name.slice(0, -1))
  const option = page.getByRole('option', { name })
  await expect(option.first()).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/[?&]phone=\d+/)
  await expect(page.getByRole('row').filter({ hasText: name }).first()).toBeVisible()
})

test('the start of an id suggests the transaction, and a click opens it', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions`)
  const { id } = await firstRow(page)
  await type(page, id.slice(0, 28))
  await page.getByRole('option').filter({ hasText: id }).click()
  await expect(page).toHaveURL(`/${person.slug}/transactions/${id}`)
})

test('Escape closes the suggestions and keeps the text; Enter without a choice searches', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/${EARLIER}`)
  const { name } = await firstRow(page)
  await type(page, name)
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await expect(page.locator('input[name=q]:visible')).toHaveValue(name)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/search\?q=/)
  await expect(page.getByRole('list', { name: 'Search' }).getByText(name).first()).toBeVisible()
})

test('the search page fits a phone of 360 px and lists what begins with the text', async ({ page }) => {
  const person = personWith(['finance'])
  await page.setViewportSize({ width: 360, height: 740 })
  await signIn(page, person, `/${person.slug}/transactions`)
  await page.goto(`/${person.slug}/search?q=2376`)
  await expect(page.getByRole('list', { name: 'Search' }).getByRole('link').first()).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await expectAccessible(page)
})

test('400 for a query that the suggestions do not know, 200 with an empty list for one character', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions`)
  const address = `/api/back-office/${person.slug}/suggestions`
  expect((await page.request.get(`${address}?q=a&size=9`)).status()).toBe(400)
  expect((await page.request.get(`${address}?q=${'a'.repeat(201)}`)).status()).toBe(400)
  const answer = await page.request.get(`${address}?q=a`)
  expect([answer.status(), await answer.json()]).toEqual([200, []])
})
