import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expect, findAxeViolations, test } from './fixtures.ts'
import { readSandbox, sandboxUrl } from './sandbox.ts'

/** The slow row of the simulator's table: this customer is quicker than the simulated one. */
const SLOW = '221772093914'
const BYTES_MAX = 60_000

/** Collects 12,500 XOF through Wave, as a partner does, and returns the address for the customer. */
async function collect(page: Page, phoneNumber = SLOW): Promise<string> {
  const application = readSandbox().applications[0]
  if (!application) throw new Error('The sandbox has no application')
  const { username, password, apiKey, apiId } = application
  const tokens = await (await page.request.post(`${sandboxUrl()}/public/access_token`, { data: { username, password } })).json()
  const answer = await page.request.post(`${sandboxUrl()}/api/v1/transaction/collect`, {
    headers: { apiKey, apiId, authorization: `Bearer ${tokens['access_token']}` },
    data: {
      transferMethod: 'SNWAVE',
      customerName: 'Awa Ndiaye',
      externalId: randomUUID(),
      phoneNumber,
      amount: 12_500,
      webhookUrl: 'https://partner.example/hook',
      countryName: 'SENEGAL',
    },
  })
  expect(answer.status()).toBe(200)
  return `/pay/${(await answer.json())['payToken']}`
}

/** Follows the link, pays at the simulated operator, and reads the result on the page to which the operator returns. */
async function payByLink(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('link', { name: 'Pay with Wave' }).click()
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByText('The payment has been made.')).toBeVisible({ timeout: 60_000 })
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
