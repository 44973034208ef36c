import type { Browser, Locator, Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, signIn } from './fixtures.ts'
import { type SandboxPerson, sandboxUrl } from './sandbox.ts'

/** Signs in and opens the form of a new payment. */
export async function openNewPayment(page: Page, person: SandboxPerson): Promise<void> {
  await signIn(page, person, `/${person.slug}/new`)
  await page.waitForURL(/\/new\?payment=/)
}

/** The form in another browser, at the same address or a new one. */
export async function anotherMaker(browser: Browser, person: SandboxPerson): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await openNewPayment(page, person)
  return page
}

type Typed = { type?: string; country?: string; operator?: string; phone?: string; name?: string; amount?: string }

/** Fills in the form as a person does, in English. */
export async function fillIn(page: Page, typed: Typed = {}): Promise<void> {
  const { type = 'Deposit', country = 'Cameroon', operator = 'MTN', phone = '+237 677 20 93 41', name = 'Clarisse Mbarga' } = typed
  await page.getByLabel('Type').selectOption({ label: type })
  await page.getByLabel('Country').selectOption({ label: country })
  await page.getByLabel('Operator').selectOption({ label: operator })
  await page.getByLabel('Phone number').fill(phone)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Amount').fill(typed.amount ?? '5000')
}

export const sendButton = (page: Page): Locator => page.getByRole('button', { name: 'Send for approval' })

/** The card beside the form that says what the payment would cost and require. */
export const previewOf = (page: Page): Locator => page.locator('section', { has: page.getByRole('heading', { name: 'Before you send' }) })

export async function expectSent(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: 'Sent for approval' })).toBeVisible()
}

/** The notification that a draft is saved; it is also announced. */
export async function expectSaved(page: Page): Promise<void> {
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Draft saved')).toBeVisible()
}

/** Presses send and waits until the transaction exists. */
export async function send(page: Page): Promise<void> {
  await sendButton(page).click()
  await expectSent(page)
}

type Stored = { transactionId: string; status: string; type: string; amountMinor: bigint; makerId: string; originId: string | null }

/** The transactions of an application in order. */
export async function storedIn(pool: Pool, applicationId: string): Promise<Stored[]> {
  const { rows } = await pool.query<Stored>(
    `select t.transaction_id as "transactionId", t.status, t.type, t.amount_minor as "amountMinor", t.maker_id as "makerId",
        o.origin_id as "originId"
      from transactions t left join transaction_origins o using (application_id, transaction_id) where t.application_id = $1 order by t.sequence`,
    [applicationId],
  )
  return rows
}
