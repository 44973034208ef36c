import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expect, findAxeViolations, test } from './fixtures.ts'
import { readSandbox, sandboxUrl } from './sandbox.ts'

/** The slow row of the simulator's table: this customer is quicker than the simulated one. */
const SLOW = '221772093914'
const BYTES_MAX = 60_000

/** The same where the customer enters a code. */
const SLOW_WITH_CODE = '22676123914'

/** Collects 12,500 XOF, as a partner does, and returns the address for the customer. */
async function collect(page: Page, phoneNumber = SLOW, [transferMethod, countryName] = ['SNWAVE', 'SENEGAL']): Promise<string> {
  const application = readSandbox().applications[0]
  if (!application) throw new Error('The sandbox has no application')
  const { username, password, apiKey, apiId } = application
  const tokens = await (await page.request.post(`${sandboxUrl()}/public/access_token`, { data: { username, password } })).json()
  const answer = await page.request.post(`${sandboxUrl()}/api/v1/transaction/collect`, {
    headers: { apiKey, apiId, authorization: `Bearer ${tokens['access_token']}` },
    data: {
      transferMethod,
      customerName: 'Awa Ndiaye',
      externalId: randomUUID(),
      phoneNumber,
      amount: 12_500,
      webhookUrl: 'https://partner.example/hook',
      countryName,
    },
  })
  expect(answer.status()).toBe(200)
  return `/pay/${(await answer.json())['payToken']}`
}

/** Dials the code on the page and returns the text on the customer's phone. Wave's link leads to the simulated operators. */
async function dialCode(page: Page, phoneNumber: string): Promise<string> {
  const dial = (await page.getByRole('link', { name: /^\*144/ }).textContent()) ?? ''
  const wave = await (await page.request.get(await collectUntilLink(page))).text()
  const operators = new URL(/<a class="button"[^>]* href="([^"]+)"/.exec(wave)?.[1] ?? '').origin
  const answer = await page.request.get(`${operators}/phone?${new URLSearchParams({ msisdn: phoneNumber, dial })}`)
  return (await answer.json())['code']
}

/** The address of a payment whose link is there. */
async function collectUntilLink(page: Page): Promise<string> {
  const address = await collect(page)
  await expect.poll(async () => (await page.request.get(address)).text()).toContain('<a class="button"')
  return address
}

/** Follows the link, pays at the simulated operator, and reads the result on the page to which the operator returns. */
async function payByLink(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('link', { name: /^(Pay with|Payer avec) Wave$/ }).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByText(/The payment has been made\.|Le paiement a été effectué\./)).toBeVisible({ timeout: 60_000 })
  expect(new URL(page.url()).pathname).toBe(address)
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled, viewport: { width: 320, height: 640 } })

    test('a customer pays by the link at 320 px and sees the result, in under 60 KB', async ({ page }) => {
      let bytes = 0
      page.on('response', async (response) => {
        if (response.url().startsWith(sandboxUrl())) bytes += (await response.body().catch(() => Buffer.alloc(0))).length
      })
      const address = await collect(page)
      await page.goto(address)
      await expect(page.getByRole('heading', { name: /^Payment to / })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Pay with Wave' })).toBeVisible()
      await expect(page.getByText('Kora Stores').first()).toBeVisible()
      await expect(page.getByRole('img', { name: 'Code to scan with Wave' })).toHaveCount(0)
      await page.getByText('Show a code to scan').click()
      await expect(page.getByRole('img', { name: 'Code to scan with Wave' })).toBeVisible()
      expect(bytes).toBeLessThan(BYTES_MAX)
      if (javaScriptEnabled) {
        await expectNoSidewaysScroll(page)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect(await findAxeViolations(page)).toEqual([])
        }
      }
      await page.getByRole('link', { name: 'Français' }).click()
      await expect(page.getByRole('link', { name: 'Payer avec Wave' })).toBeVisible()
      await payByLink(page, address)
      // The language is kept through the operator's return.
      await expect(page.getByRole('link', { name: 'Retour à Kora Stores' })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Envoyer le reçu par WhatsApp' })).toBeVisible()
    })

    test('a customer enters a code at 320 px, another one after it was refused, and sees the result, in under 60 KB', async ({ page }) => {
      let bytes = 0
      page.on('response', async (response) => {
        if (response.url().startsWith(sandboxUrl())) bytes += (await response.body().catch(() => Buffer.alloc(0))).length
      })
      const address = await collect(page, SLOW_WITH_CODE, ['BFOM', 'BURKINA_FASO'])
      await page.goto(`${address}?lang=fr`)
      const enter = async (code: string) => {
        await page.getByLabel(/^Code/).fill(code)
        await page.getByRole('button', { name: /^(Send the code|Envoyer le code)$/ }).click()
      }
      await expect(page.getByRole('link', { name: '*144*4*6*12500#' })).toBeVisible({ timeout: 60_000 })
      expect(bytes).toBeLessThan(BYTES_MAX)
      if (javaScriptEnabled) {
        await expectNoSidewaysScroll(page)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect(await findAxeViolations(page)).toEqual([])
        }
      }
      await enter('000000')
      await expect(page.locator('#problem')).toBeVisible({ timeout: 60_000 })
      await page.getByRole('link', { name: 'English' }).click()
      await enter(await dialCode(page, SLOW_WITH_CODE))
      await expect(page.getByText('The payment has been made.')).toBeVisible({ timeout: 60_000 })
    })

    test('the reason of a payment that failed appears on the open page; a wrong address names no payment', async ({ page }) => {
      const address = await collect(page, '221772093901')
      await page.goto(address)
      await expect(page.getByText('The balance was not sufficient.')).toBeVisible({ timeout: 60_000 })
      const response = await page.goto(`/pay/${randomUUID()}`)
      expect(response?.status()).toBe(404)
      await expect(page.getByRole('heading', { name: 'There is no payment at this address' })).toBeVisible()
    })
  })
}
