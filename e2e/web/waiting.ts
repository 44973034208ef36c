import type { Browser, Locator, Page } from 'playwright/test'
import { computeFees } from '#lib/money/fees.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { decideMany } from '#server/approvals/decide.ts'
import { findApprovals } from '#server/approvals/queue/queue.ts'
import { recallTransaction } from '#server/approvals/recall.ts'
import type { Pool } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { aBand, anIntakeItem, decisionDeps, fund } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { expect, signIn } from './fixtures.ts'
import { newApplication, newPerson } from './people.ts'
import { type SandboxPerson, sandboxUrl } from './sandbox.ts'

type Made = { name?: string; phone?: string; amountMinor?: bigint; operator?: OperatorCode; maker?: SandboxPerson | null }
type Band = Parameters<typeof aBand>[0]

const FUNDED_MINOR = 1_000_000_000n
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** Creates an application for one test with a maker and two checkers, and functions to create waiting transactions. */
export async function newQueue(pool: Pool) {
  const { applicationId, slug } = await newApplication(pool)
  const maker = await newPerson(pool, ['maker'], applicationId, 'Awa Kaboré')
  const checker = await newPerson(pool, ['checker'], applicationId, 'Mariam Diallo')
  const other = await newPerson(pool, ['checker'], applicationId, 'Jean Ouattara')
  for (const operator of ['MOMOCM', 'SNOM', 'UGMTN'] as const) await fund(pool, applicationId, operator, FUNDED_MINOR)
  const deps = decisionDeps(pool)

  /** Creates waiting transactions in this order; returns their ids. */
  async function wait(all: readonly Made[], band: Band = {}): Promise<string[]> {
    const items = all.map(({ name = 'Clarisse Mbarga', phone, amountMinor = 500_000n, operator = 'MOMOCM', maker: by = maker }) =>
      anIntakeItem(applicationId, {
        customerName: name,
        operator,
        amountMinor,
        ...computeFees(amountMinor, OPERATORS[operator].country.currency),
        ...(phone ? { phoneNumber: phone } : {}),
        ...(by ? { source: 'person', makerId: by.id, actor: { kind: 'person', id: by.id } } : {}),
        bands: [aBand(band)],
      }),
    )
    await takeIn(pool, items)
    return items.map((item) => item.transactionId)
  }

  /** Returns the rows that this person is shown, with the hashes that a decision requires. */
  const rowsFor = (person: SandboxPerson, ids: readonly string[]) =>
    findApprovals(pool, { applicationId, id: person.id, hasSecondFactor: true }, ids)

  /** Decides as another person. */
  async function decide(person: SandboxPerson, ids: readonly string[], decision: 'validated' | 'rejected', note: string): Promise<void> {
    const items = await rowsFor(person, ids)
    const viewer = { applicationId, id: person.id, roles: ['checker'] as const, hasSecondFactor: false }
    const results = must(await decideMany(deps, { checker: viewer, decision, note, items }))
    if (results.some((result) => result.kind !== 'done')) throw new Error(`Not decided: ${JSON.stringify(results)}`)
  }

  async function recall(transactionId: string, reason: string): Promise<void> {
    must(await recallTransaction(deps, { applicationId, transactionId, makerId: maker.id, reason }))
  }

  async function statusOf(transactionId: string): Promise<string> {
    const { rows } = await pool.query<{ status: string }>(
      'select status from transactions where application_id = $1 and transaction_id = $2',
      [applicationId, transactionId],
    )
    return rows[0]?.status ?? ''
  }

  return { applicationId, slug, maker, checker, other, wait, rowsFor, decide, recall, statusOf }
}

/** Sets up a person's second factor in the database; returns the secret for `deviceOf`. */
export async function giveDevice(pool: Pool, person: SandboxPerson): Promise<string> {
  await pool.query('update people set totp_secret = $2, totp_enabled_at = now(), totp_last_step = null where person_id = $1', [
    person.id,
    keyringOfProcess().seal(totpSecretPlace(person.id), SECRET),
  ])
  return SECRET
}

export async function openApprovals(page: Page, person: SandboxPerson, query = ''): Promise<void> {
  await signIn(page, person, `/${person.slug}/approvals${query}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** Opens the approvals in another browser. */
export async function another(browser: Browser, person: SandboxPerson, query = ''): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await openApprovals(page, person, query)
  return page
}

export const rowsOf = (page: Page): Locator => page.locator('tbody tr[id^=row-]')
export const rowOf = (page: Page, transactionId: string | undefined): Locator => page.locator(`[id="row-${transactionId}"]`)
/** Where decisions are made: beside the list, over its side, or over all of it. */
export const panelOf = (page: Page): Locator => page.locator('#approval-panel')
export const bulkBar = (page: Page): Locator => page.getByRole('region', { name: 'Selected transactions' })

/** The button in the panel that sends the decision about one transaction. */
export const sendButton = (page: Page, verb: 'Validate' | 'Reject' | 'Recall' = 'Validate'): Locator =>
  panelOf(page).getByRole('button', { name: verb, exact: true })

/** Presses V or R and waits for the field that a person then types into. */
export async function askByKey(page: Page, key: 'v' | 'r'): Promise<void> {
  const note = page.locator('#field-note')
  // Pressed again only if the key came before the scripts of the panel.
  await expect(async () => {
    if (!(await note.evaluateAll((fields) => fields.some((field) => field === document.activeElement)))) await page.keyboard.press(key)
    await expect(note).toBeFocused({ timeout: 1_000 })
  }).toPass()
}
