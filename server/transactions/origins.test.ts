import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { contradict } from '#server/testing/contradiction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import type { StartRequest } from './find-start-problems.ts'
import { createIntake } from './intake.ts'
import { type StartTransactionsDeps, startTransactions } from './start-transactions.ts'
import { transition } from './transition.ts'

let database: TestDatabase
let deps: StartTransactionsDeps
let application: ApplicationSnapshot
let makerId: string
before(async () => {
  database = await createTestDatabase()
  const { applicationId } = await createTestPartner(database.pool)
  deps = { pool: database.pool, intake: createIntake({ pool: database.pool }), connectors: { has: () => true, limitsOf: () => undefined } }
  const directory = await createDirectory({ pool: database.pool })
  const found = directory.find(applicationId)
  await directory.close()
  assert.ok(found)
  application = found
  makerId = await makePerson(database.pool, applicationId, ['maker'])
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
})
after(() => database.drop())

function aRequest(overrides: Partial<StartRequest> = {}): StartRequest {
  return {
    transferMethod: 'MOMOCM',
    customerName: 'Clarisse Mbarga',
    externalId: randomUUID(),
    phoneNumber: '237677209341',
    amount: 500_000n,
    webhookUrl: null,
    countryName: 'CAMEROON',
    ...overrides,
  }
}

function start(request: StartRequest, originId?: string) {
  const { applicationId } = application
  return startTransactions(deps, {
    application,
    type: 'DEPOSIT',
    source: 'person',
    actor: { kind: 'person', id: makerId, applicationId, roles: ['maker'] },
    requests: [request],
    ...(originId === undefined ? {} : { originId }),
  })
}

async function started(request: StartRequest, originId?: string): Promise<string> {
  const [outcome] = must(await start(request, originId))
  assert.ok(outcome && outcome.kind !== 'conflict')
  return outcome.transactionId
}

async function ended(...events: TransitionEvent[]): Promise<string> {
  const transactionId = await started(aRequest())
  for (const event of events) {
    const actor = { kind: 'person' as const, id: randomUUID() }
    const [moved] = await transition(database.pool, [
      { applicationId: application.applicationId, transactionId, event, message: event, actor },
    ])
    assert.ok(moved?.isMoved, event)
  }
  return transactionId
}

const kindsOf = (result: Awaited<ReturnType<typeof start>>) =>
  result.ok ? result.value.map(({ kind }) => kind) : result.error.kind === 'refused' ? result.error.problems.map(({ kind }) => kind) : []

test('created in its place: a transaction for one that ended without a payment, whoever ended it', async () => {
  const ends = [['rejected'], ['recalled'], ['expired'], ['approved', 'stopped'], ['approved', 'failed']] as const
  for (const events of ends) {
    const originId = await ended(...events)
    const transactionId = await started(aRequest({ amount: 400_000n }), originId)
    const { rows } = await database.pool.query('select origin_id from transaction_origins where transaction_id = $1', [transactionId])
    assert.deepEqual(rows, [{ origin_id: originId }])
  }
})

test('origin_replaced with the transaction that did, and nothing is started: a second one in the same place', async () => {
  const originId = await ended('rejected')
  const first = aRequest()
  const transactionId = await started(first, originId)
  const second = aRequest()
  const refused = await start(second, originId)
  assert.deepEqual(!refused.ok && refused.error, { kind: 'refused', problems: [{ index: 0, kind: 'origin_replaced', transactionId }] })
  const { rows } = await database.pool.query('select 1 from transactions where external_id = $1', [second.externalId])
  assert.equal(rows.length, 0)
})

test('existing: the same request in the same place again', async () => {
  const originId = await ended('recalled')
  const request = aRequest()
  const transactionId = await started(request, originId)
  const again = must(await start(request, originId))
  assert.deepEqual(
    again.map((outcome) => [outcome.kind, 'transactionId' in outcome && outcome.transactionId]),
    [['existing', transactionId]],
  )
})

test('one is created and the others get origin_replaced: twenty at once in one place', async () => {
  const originId = await ended('rejected')
  const kinds = (await Promise.all(Array.from({ length: 20 }, () => start(aRequest(), originId)))).flatMap(kindsOf)
  assert.deepEqual(kinds.toSorted(), ['created', ...Array(19).fill('origin_replaced')])
})

test('origin_unconfirmed, and nothing is started: one whose operator contradicts the failure', async () => {
  const originId = await ended('approved', 'failed')
  await contradict(database.pool, { applicationId: application.applicationId, transactionId: originId })
  const request = aRequest()
  assert.deepEqual(kindsOf(await start(request, originId)), ['origin_unconfirmed'])
})

test('origin_in_batch: one that a batch repeats, also where both are stored at the same moment', async () => {
  const { applicationId } = application
  const repeat = async (failedId: string) => {
    const batchId = randomUUID()
    await database.pool.query(
      `insert into batches (application_id, batch_id, name, type, maker_id, created_by, file_name, file_sha256, state, row_count)
       values ($1, $2, 'Again', 'DEPOSIT', $3, $3, 'a.csv', '\\x00', 'draft', 1)`,
      [applicationId, batchId, makerId],
    )
    await database.pool.query(
      `insert into batch_retries (application_id, failed_transaction_id, parent_batch_id, batch_id, row_number, external_id)
       values ($1, $2, gen_random_uuid(), $3, 2, gen_random_uuid())`,
      [applicationId, failedId, batchId],
    )
    return batchId
  }
  const first = await ended('approved', 'failed')
  const batchId = await repeat(first)
  assert.deepEqual(kindsOf(await start(aRequest(), first)), ['origin_in_batch'])
  await database.pool.query("update batches set state = 'discarded' where batch_id = $1", [batchId])
  assert.deepEqual(kindsOf(await start(aRequest(), first)), ['created'])
  for (let round = 0; round < 10; round++) {
    const originId = await ended('approved', 'failed')
    const [sent, repeated] = await Promise.allSettled([start(aRequest(), originId), repeat(originId)])
    const isSent = sent.status === 'fulfilled' && kindsOf(sent.value)[0] === 'created'
    assert.notEqual(isSent, repeated.status === 'fulfilled', `round ${round}: exactly one of the two`)
  }
})

test('origin_not_replaceable: what waits, what an operator has, and what is not in this application', async () => {
  const elsewhere = await createTestPartner(database.pool)
  const foreign = randomUUID()
  await database.pool.query(
    `insert into transaction_origins (application_id, transaction_id, origin_id) values ($1, gen_random_uuid(), $2)`,
    [elsewhere.applicationId, foreign],
  )
  for (const originId of [await started(aRequest()), await ended('approved'), await ended('approved', 'succeeded'), foreign, randomUUID()])
    assert.deepEqual(kindsOf(await start(aRequest(), originId)), ['origin_not_replaceable'])
  await database.pool.query('delete from transaction_origins where application_id = $1', [elsewhere.applicationId])
})

/** Returns the findings of verify; the approvals that these tests skip are left out. */
async function differences(): Promise<string[]> {
  return (await verifyBooks(database.pool)).map(({ check }) => check).filter((check) => check !== 'approvals')
}

test('no webhook, and the books agree: a failed transaction that a person started without an address', async () => {
  const transactionId = await ended('approved', 'failed')
  const { rows } = await database.pool.query('select 1 from webhook_deliveries where transaction_id = $1', [transactionId])
  assert.equal(rows.length, 0)
  assert.deepEqual(await differences(), [])
})

test('verify names it: a transaction that replaces one which was paid', async () => {
  const originId = await ended('approved', 'succeeded')
  const transactionId = await started(aRequest())
  await database.pool.query('insert into transaction_origins (application_id, transaction_id, origin_id) values ($1, $2, $3)', [
    application.applicationId,
    transactionId,
    originId,
  ])
  assert.deepEqual(await differences(), ['origins'])
})

test('an error, and not origin_replaced, when the database refuses the transaction for another reason', async () => {
  const originId = await ended('rejected')
  await assert.rejects(start(aRequest({ customerName: 'Awa\0' }), originId), { code: '22P05' })
})
