import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto'
import { computeFees } from '#lib/money/fees.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import { systemClock } from '#server/clock.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { fundBalance } from '#server/ledger/fundings.ts'
import { createLogger } from '#server/logger.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { NO_LOOPS } from '#server/transactions/transition.ts'

/** An application with its counters, its thirteen balances at zero, and nothing else. Returns its id. */
export async function makeApplication(pool: Pool, name = 'Test application'): Promise<string> {
  const applicationId = randomUUID()
  // Nobody waits for the end of an undo, except in tests that set one.
  await pool.query('insert into applications (application_id, name, api_id, undo_seconds) values ($1, $2, $3, 0)', [
    applicationId,
    name,
    randomUUID(),
  ])
  await pool.query('insert into application_counters (application_id) values ($1)', [applicationId])
  const currencies = OPERATOR_CODES.map((code) => OPERATORS[code].country.currency)
  await pool.query(
    'insert into ledger_balances (application_id, operator, currency) select $1, o.operator, o.currency from unnest($2::text[], $3::text[]) as o (operator, currency)',
    [applicationId, OPERATOR_CODES, currencies],
  )
  return applicationId
}

/** A person with these roles in the application, who cannot sign in. Returns the id. */
export async function makePerson(pool: Pool, applicationId: string, roles: Role[]): Promise<string> {
  const personId = randomUUID()
  await pool.query("insert into people (person_id, email, name, password_hash) values ($1, $2, 'Test person', 'none')", [
    personId,
    `${personId}@test.example`,
  ])
  await pool.query('insert into memberships (application_id, person_id, roles) values ($1, $2, $3)', [applicationId, personId, roles])
  return personId
}

/** Puts money on a deposit balance through the real command. Hundredths. */
export async function fund(pool: Pool, applicationId: string, operator: OperatorCode, amountMinor: bigint): Promise<void> {
  const funded = await withTransaction(pool, (trx) =>
    fundBalance(trx, { applicationId, operator, amountMinor, fundingId: randomUUID(), actorId: null, reason: 'test' }),
  )
  if (!funded.ok) throw new Error(funded.error)
}

/** A valid intake item: a deposit of 5,000 at MOMOCM through the API, unless the overrides say otherwise. */
export function anIntakeItem(applicationId: string, overrides: Partial<IntakeItem> = {}): IntakeItem {
  const operator = overrides.operator ?? 'MOMOCM'
  const country = OPERATORS[operator].country
  const amountMinor = overrides.amountMinor ?? 500_000n
  return {
    applicationId,
    transactionId: randomUUIDv7(),
    externalId: randomUUID(),
    type: 'DEPOSIT',
    operator,
    customerName: 'Clarisse Mbarga',
    purpose: '',
    phoneNumber: `${country.dialCode}677209341`,
    amountMinor,
    ...computeFees(amountMinor, country.currency),
    webhookUrl: 'https://partner.example/hooks',
    payToken: randomUUID(),
    source: 'api',
    makerId: null,
    batchId: null,
    batchSumMinor: null,
    actor: { kind: 'api', id: null },
    bands: null,
    ...overrides,
  }
}

/** The dependencies of commands that decide, in a test without loops. */
export function decisionDeps(pool: Pool) {
  return {
    pool,
    clock: systemClock,
    wake: NO_LOOPS,
    logger: createLogger('silent'),
    metrics: { countOutcome: () => undefined },
  }
}

/** An approval band that always applies and requires one checker, unless the overrides say otherwise. */
export function aBand(overrides: Partial<ApprovalBand> = {}): ApprovalBand {
  return {
    aboveMinor: '0',
    firstTimeOnly: false,
    policyVersion: 1,
    rule: { name: 'Everything waits', parts: [] },
    steps: [1],
    needsCode: false,
    apiMayDecide: true,
    expiresInHours: 168,
    ...overrides,
  }
}

/** A payment link of a maker: once, for 5,000 XAF at MTN Cameroon. */
export async function makePaymentLink(pool: Pool, applicationId: string, makerId: string): Promise<string> {
  const linkId = randomUUID()
  await pool.query(
    `insert into payment_links (application_id, link_id, token, purpose, country, currency, operators, amount_minor, payments_max, created_by)
       values ($1, $2, $3, 'Invoice 77', 'CAMEROON', 'XAF', '{MOMOCM}', 500000, 1, $4)`,
    [applicationId, linkId, randomBytes(16).toString('base64url'), makerId],
  )
  return linkId
}
