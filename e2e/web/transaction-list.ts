import { expect, type Locator, type Page } from 'playwright/test'
import { readSandbox, sandboxUrl } from './sandbox.ts'

/** The rows of transactions, without the headings of their days. */
export function rowsOf(page: Page): Locator {
  return page.locator('tbody tr[id^="row-"]')
}

/** The panel beside the list. */
export function panelOf(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Transaction', exact: true })
}

/** The digits of an amount as people read it: `6,369,185.50` → 636918550 hundredths. */
export function minorOf(text: string): bigint {
  const plain = text.replace(/[^\d.]/g, '')
  const [whole = '0', cents = ''] = plain.split('.')
  return BigInt(whole + cents.padEnd(2, '0'))
}

/** Returns the count and the sums of a list, in and out together, in hundredths by currency; and the fees where they are shown. */
export async function readList(page: Page): Promise<{ count: number; sums: Record<string, bigint>; fees?: bigint }> {
  const lead = page.locator('main header p').first()
  await expect(lead).toContainText(/transactions?\./)
  const text = (await lead.textContent()) ?? ''
  const fees = /fees ([\d,.]+)/.exec(text)?.[1]
  const sums = [...text.matchAll(/(XAF|XOF|UGX)((?: ·)? [A-Za-z ]+ [\d,.]+)+/g)].map(([part, currency = '']) => {
    const amounts = [...part.replace(/(?:net|fees) [\d,.]+/g, '').matchAll(/ ([\d,.]*\d)/g)].map(([, amount = '']) => minorOf(amount))
    return [currency, amounts.reduce((sum, amount) => sum + amount, 0n)]
  })
  return {
    count: Number(minorOf(text.replace(/ transactions?\..*$/, '')) / 100n),
    sums: Object.fromEntries(sums),
    ...(fees === undefined ? {} : { fees: minorOf(fees) }),
  }
}

const CAMEROON = { transferMethod: 'MOMOCM', countryName: 'CAMEROON', amount: 1250 }

/** A collect through the partner's API; the last digits of the phone decide what the simulated operator does. */
export async function startCollect(phoneNumber: string, terms = CAMEROON): Promise<string> {
  const application = readSandbox().applications[0]
  if (!application) throw new Error('The sandbox has no application')
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    (
      await fetch(sandboxUrl() + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    ).json() as Promise<Record<string, string>>
  const { access_token: token } = await post('/public/access_token', { username: application.username, password: application.password })
  const headers = { apiKey: application.apiKey, apiId: application.apiId, authorization: `Bearer ${token}` }
  const started = await post(
    '/api/v1/transaction/collect',
    {
      ...terms,
      customerName: 'Solange Tchoua',
      externalId: crypto.randomUUID(),
      phoneNumber,
      webhookUrl: 'http://127.0.0.1:9/hook',
    },
    headers,
  )
  const id = started['transactionId']
  if (!id) throw new Error(`The collect was refused: ${JSON.stringify(started)}`)
  return id
}
