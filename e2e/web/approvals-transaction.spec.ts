import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { sandboxUrl } from './sandbox.ts'
import { newQueue } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('on the page of a transaction: evidence, Validate, and the place after it', async ({ page }) => {
  const queue = await newQueue(pool)
  const [id] = await queue.wait([{ name: 'Amadou Ngassa', phone: '237690441208', amountMinor: 125_000_000n }])
  await signIn(page, queue.checker, `/${queue.slug}/transactions/${id}`)
  const card = page.getByRole('region', { name: 'Decision' })
  await expect(card).toContainText('First payment to this number')
  await expect(card).toContainText('MTN Cameroon after this: 8,731,250 XAF')
  const title = await page.getByRole('heading', { level: 1 }).boundingBox()
  expect((await card.boundingBox())?.y).toBeGreaterThan(title?.y ?? 0)
  await card.getByRole('button', { name: 'Validate' }).press('Enter')
  await expect(card.getByLabel('Payee note')).toBeFocused()
  await page.keyboard.type('Invoice 2231 seen')
  await page.keyboard.press('Enter')
  await expect(card).toBeFocused()
  await expect(card).toContainText('Validated by Mariam Diallo')
  await expect(card.getByRole('button')).toHaveCount(0)
  await expect(page.getByText('Step 1 · “Invoice 2231 seen”')).toBeVisible()
})

test('nothing can be typed or pressed before the script is there, because the browser itself would send the form as an address', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  await queue.wait([{}])
  await signIn(page, queue.checker, `/${queue.slug}/transactions`)
  await page.route('**/_next/static/**/*.js', (route) => route.abort())
  await page.goto(`/${queue.slug}/approvals`)
  const panel = page.locator('#approval-panel')
  await expect(panel.getByLabel('Payee note')).toBeDisabled()
  await expect(panel.getByRole('button', { name: 'Validate' })).toBeDisabled()
})

test('what somebody else decides shows on the open page without a reload', async ({ page }) => {
  const queue = await newQueue(pool)
  const [id] = await queue.wait([{}])
  await signIn(page, queue.checker, `/${queue.slug}/transactions/${id}`)
  const card = page.getByRole('region', { name: 'Decision' })
  await expect(card.getByRole('button', { name: 'Reject' })).toBeVisible()
  await queue.decide(queue.other, [id ?? ''], 'rejected', 'Duplicate')
  await expect(card).toContainText('Rejected by Jean Ouattara')
  await expect(card.getByRole('button')).toHaveCount(0)
})

test('in the side panel of the list: Reject with a preset, and the panel stays', async ({ page }) => {
  const queue = await newQueue(pool)
  const [id] = await queue.wait([{ name: 'Kossi Adjovi' }])
  await signIn(page, queue.checker, `/${queue.slug}/transactions`)
  await page.locator(`[id="row-${id}"]`).getByRole('link').first().click()
  const panel = page.getByRole('complementary', { name: 'Transaction', exact: true })
  const card = panel.getByRole('region', { name: 'Decision' })
  await card.getByRole('button', { name: 'Reject' }).click()
  await card.getByRole('button', { name: 'Wrong amount' }).click()
  await expectAccessible(page)
  await card.getByRole('button', { name: 'Reject', exact: true }).click()
  await expect(card).toContainText('Rejected by Mariam Diallo')
  await expect(card).toBeFocused()
  await expect(panel).toContainText('“Wrong amount”')
  expect(await queue.statusOf(id ?? '')).toBe('FAILED')
})

test('who may not decide reads why, on the page, in the panel and in the list', async ({ page }) => {
  const queue = await newQueue(pool)
  const both = await newPerson(pool, ['maker', 'checker'], queue.applicationId, 'Grace Nakato')
  const [own, two] = [(await queue.wait([{ maker: both }]))[0] ?? '', (await queue.wait([{}], { steps: [2] }))[0] ?? '']
  await queue.decide(both, [two], 'validated', 'Seen')
  await signIn(page, both, `/${queue.slug}/transactions/${own}`)
  const card = page.getByRole('region', { name: 'Decision' })
  await expect(card).toContainText('You prepared this')
  await expect(card.getByRole('button', { name: /Validate|Reject/ })).toHaveCount(0)
  await page.goto(`/${queue.slug}/transactions/${two}`)
  await expect(card).toContainText('You have decided; waiting for others')
  await page.goto(`/${queue.slug}/approvals?queue=others`)
  await expect(page.locator(`[id="row-${two}"]`)).toContainText('You have decided; waiting for others')
  await page.goto(`/${queue.slug}/transactions/${own}`)
  await card.getByRole('button', { name: 'Recall' }).click()
  await card.getByLabel('Reason').fill('Prepared twice')
  await page.keyboard.press('Enter')
  await expect(card).toContainText('Recalled by Grace Nakato')

  const finance = await newPerson(pool, ['finance'], queue.applicationId)
  await page.context().clearCookies()
  await signIn(page, finance, `/${queue.slug}/transactions`)
  await page.locator(`[id="row-${two}"]`).getByRole('link').first().click()
  await expect(page.getByRole('complementary').getByRole('region', { name: 'Decision' })).toContainText('Only checkers decide')
})

test('on a phone the two buttons stand above the navigation wherever the page is scrolled to', async ({ browser }) => {
  const queue = await newQueue(pool)
  const [id] = await queue.wait([{ name: 'Amadou Ngassa' }])
  const context = await browser.newContext({
    baseURL: sandboxUrl(),
    locale: 'fr-FR',
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  await signIn(page, queue.checker, `/${queue.slug}/transactions/${id}`)
  const button = page.getByRole('button', { name: 'Valider' })
  for (const share of [0, 1]) {
    await page.evaluate((part) => scrollTo(0, document.documentElement.scrollHeight * part), share)
    const box = await button.boundingBox()
    expect(box?.y).toBeGreaterThan(600)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(740 - 56)
    expect(box?.height).toBeGreaterThanOrEqual(44)
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await expectAccessible(page)

  await page.goto(`/${queue.slug}/approvals`)
  await page.locator(`[id="row-${id}"]`).tap()
  const sheet = page.locator('#approval-panel')
  const validate = sheet.getByRole('button', { name: 'Valider' })
  await expect(validate).toBeInViewport({ ratio: 1 })
  expect((await validate.boundingBox())?.y).toBeGreaterThan(600)
  await page.getByLabel('Note de validation').fill('Facture vue')
  await validate.tap()
  await expect(page.locator(`[id="row-${id}"]`)).toHaveCount(0)
  await context.close()
})
