import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { activatePolicy, proposePolicy } from '#server/policy/policies.ts'
import { connectedTo } from '#server/testing/connected.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { createIntake } from './intake.ts'
import { startTransactions } from './start-transactions.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const LARGE = { name: 'Large', sources: ['api', 'person'], types: ['COLLECT', 'DEPOSIT'], approvals: [2] }
const LIMITS = { XAF: '50000000', XOF: '60000000', UGX: '200000000' }
const OPERATOR_OF = { XAF: 'MOMOCM', XOF: 'SNWAVE', UGX: 'UGMTN' } as const
const CASES = Object.entries(LIMITS).map(([currency, limit]) => [OPERATOR_OF[currency as keyof typeof LIMITS], BigInt(limit)] as const)

/** An application with one rule in force. */
async function under(limits: Record<string, string>): Promise<ApplicationSnapshot> {
  const { applicationId } = await createTestPartner(database.pool)
  const rules = [{ ...LARGE, limits }]
  const { version } = must(await proposePolicy(database.pool, { applicationId, rules, actor: SYSTEM_ACTOR }))
  must(await activatePolicy(database.pool, { applicationId, version, actor: SYSTEM_ACTOR }))
  const directory = await createDirectory({ pool: database.pool })
  try {
    const application = directory.find(applicationId)
    assert.ok(application)
    return application
  } finally {
    await directory.close()
  }
}

let numbers = 677_000_000

/** Starts a payment with a number of its own, whose 24-hour total is its amount. Returns its status and the rules that hold it. */
async function start(
  application: ApplicationSnapshot,
  { operator, amount, type = 'DEPOSIT', source }: Payment & { source: 'api' | 'person' },
) {
  const { applicationId } = application
  const { country } = OPERATORS[operator]
  const request = {
    transferMethod: operator,
    customerName: 'Clarisse Mbarga',
    externalId: randomUUID(),
    phoneNumber: `${country.dialCode}${numbers++}`,
    amount,
    webhookUrl: 'https://partner.example/hooks',
    countryName: country.name,
  }
  const roles: Role[] = ['maker']
  const by =
    source === 'api'
      ? { source, actor: { kind: 'api' as const, id: randomUUID() } }
      : { source, actor: { kind: 'person' as const, id: await makePerson(database.pool, applicationId, roles), applicationId, roles } }
  const deps = { pool: database.pool, intake: createIntake({ pool: database.pool }), connectors: connectedTo() }
  const [outcome] = must(await startTransactions(deps, { application, ...by, type, requests: [request] }))
  assert.ok(outcome?.kind === 'created')
  const { rows } = await database.pool.query<{ steps: number[]; parts: Record<string, unknown>[] }>(
    `select steps, rule -> 'parts' as parts from approval_items where transaction_id = $1`,
    [outcome.transactionId],
  )
  return { status: outcome.status, steps: rows[0]?.steps, parts: rows[0]?.parts }
}
type Payment = { operator: OperatorCode; amount: bigint; type?: 'COLLECT' | 'DEPOSIT' }

for (const type of ['DEPOSIT', 'COLLECT'] as const)
  test(`PENDING_APPROVAL for a ${type} above the limit of its currency, PENDING at it, for the three currencies of one rule`, async () => {
    const application = await under(LIMITS)
    for (const [operator, limit] of CASES) {
      const at = await start(application, { operator, type, amount: limit, source: 'api' })
      const above = await start(application, { operator, type, amount: limit + 1n, source: 'api' })
      assert.deepEqual([operator, at.status, above.status, above.steps], [operator, 'PENDING', 'PENDING_APPROVAL', [2]])
    }
  })

test('PENDING for any amount of the API in a currency that the rule does not name', async () => {
  const { XOF, ...limits } = LIMITS
  const application = await under(limits)
  const payment = { operator: 'SNWAVE', amount: 999_999_999_999n, source: 'api' } as const
  assert.ok(payment.amount > BigInt(XOF))
  assert.equal((await start(application, payment)).status, 'PENDING')
  assert.equal((await start(application, { ...payment, operator: 'MOMOCM' })).status, 'PENDING_APPROVAL')
})

test('PENDING_APPROVAL for any amount of a person: one checker up to the limit and in a currency that the rule does not name, two above', async () => {
  const { XOF, ...limits } = LIMITS
  const application = await under(limits)
  for (const [operator, amount, steps] of [
    ['MOMOCM', BigInt(limits.XAF), [1]],
    ['MOMOCM', BigInt(limits.XAF) + 1n, [2]],
    ['SNWAVE', BigInt(XOF) + 1n, [1]],
  ] as const) {
    const started = await start(application, { operator, amount, source: 'person' })
    assert.deepEqual([started.status, started.steps], ['PENDING_APPROVAL', steps])
  }
})

test('the evidence of a waiting payment has the limit of its own currency, and no currency where a rule has no limits', async () => {
  const part = { name: 'Large', measure: 'any', firstTimeOnly: false, steps: [2], needsCode: false }
  const application = await under(LIMITS)
  for (const [operator, limit] of CASES) {
    const { parts } = await start(application, { operator, amount: limit + 1n, source: 'api' })
    assert.deepEqual(parts, [{ ...part, aboveMinor: String(limit), currency: OPERATORS[operator].country.currency }])
  }
  const { parts } = await start(await under({}), { operator: 'UGMTN', amount: 100n, source: 'api' })
  assert.deepEqual(parts, [{ ...part, aboveMinor: '0', currency: null }])
})
