import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { connectedTo } from '#server/testing/connected.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { createIntake, takeIn } from '#server/transactions/intake.ts'
import { startTransactions } from '#server/transactions/start-transactions.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { selectBatch } from './batch-store.ts'
import { weighBatch } from './batches.ts'

let database: TestDatabase
let application: ApplicationSnapshot
let makerId: string
before(async () => {
  database = await createTestDatabase()
  const applicationId = await makeApplication(database.pool)
  makerId = await makePerson(database.pool, applicationId, ['maker'])
  const directory = await createDirectory({ pool: database.pool })
  application = directory.find(applicationId) ?? assert.fail()
  await directory.close()
})
after(() => database.drop())

const RULES = approvalRulesSchema.parse([
  { name: 'Large file', sources: ['file'], limits: { XAF: '1000000' }, approvals: [2] },
  { name: 'First payment of a file', sources: ['file'], firstTimeOnly: true, approvals: [1, 2] },
])

/** A file with these amounts (hundredths); rows to the numbers that were paid before unless `isNew`. */
async function needs(amounts: readonly bigint[], rules: typeof RULES, isNew = false) {
  const { applicationId } = application
  const batchId = randomUUID()
  const intake = createIntake({ pool: database.pool })
  const base = Math.floor(Math.random() * 1e6)
  const requests = amounts.map((amount, index) => ({
    customerName: `Payee ${index}`,
    externalId: randomUUID(),
    phoneNumber: `23767${String(base + index).padStart(7, '0')}`,
    amount,
    transferMethod: 'MOMOCM' as const,
    webhookUrl: null,
  }))
  const known = requests
    .slice(isNew ? 1 : 0)
    .map(({ phoneNumber }) => anIntakeItem(applicationId, { phoneNumber, type: 'DEPOSIT', amountMinor: 100n }))
  await database.pool.query(
    "update ledger_balances set deposit_minor = deposit_minor + 100000, clearing_minor = clearing_minor - 100000 where application_id = $1 and operator = 'MOMOCM'",
    [applicationId],
  )
  await takeIn(database.pool, known)
  await transition(
    database.pool,
    known.map(({ transactionId }) => ({ applicationId, transactionId, event: 'succeeded' as const, actor: SYSTEM_ACTOR })),
  )
  must(
    await startTransactions(
      { pool: database.pool, intake, connectors: connectedTo() },
      {
        application: { ...application, policy: { version: 1, rules } },
        source: 'file',
        actor: { kind: 'person', id: makerId, applicationId, roles: ['maker'] },
        type: 'DEPOSIT',
        requests: requests as never,
        batchId,
      },
    ),
  )
  const batch = await selectBatch(database.pool, { applicationId, id: makerId }, batchId)
  assert.ok(batch)
  return weighBatch(batch)
}

test('two approvals for a file whose total is greater than the threshold, one for a total that is equal to it', async () => {
  const [large] = RULES
  assert.ok(large)
  const half = 500_000n
  const equal = await needs([half, half], [large])
  assert.deepEqual([equal.needed, equal.isDefaultRule], [1, true])
  const above = await needs([half, half, 100n], [large])
  assert.deepEqual([above.needed, above.ruleNames], [2, ['Large file']])
})

test('three approvals in two steps for a whole file of which one row is a first payment', async () => {
  const [, first] = RULES
  assert.ok(first)
  assert.equal((await needs([100n, 100n], [first])).needed, 1)
  const weighed = await needs([100n, 100n, 100n], [first], true)
  assert.deepEqual([weighed.steps, weighed.needed, weighed.ruleNames], [[1, 2], 3, ['First payment of a file']])
})
