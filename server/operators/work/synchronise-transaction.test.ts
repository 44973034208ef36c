import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import type { QueryOutcome } from '../connector.ts'
import { connectorsWith, OperatorHarness } from '../testing/operator-harness.ts'
import { claimAll } from '../testing/read-work.ts'
import { synchroniseTransaction } from './synchronise-transaction.ts'

const API_USER = randomUUID()
let harness: OperatorHarness
before(async () => {
  // Polling is far away and no callbacks are awaited: what settles here was forced.
  harness = await OperatorHarness.open({ givesTokens: true, dispatcher: { pollDelaysMs: [600_000] } })
})
after(() => harness.close())

async function stopAll(): Promise<void> {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

function synchronise(item: IntakeItem, enquiries = harness.forcedEnquiries) {
  return synchroniseTransaction(enquiries, {
    applicationId: item.applicationId,
    transactionId: item.transactionId,
    actor: { kind: 'api', id: API_USER },
  })
}

/** Sent, executed by the operator, its callback lost: the case that chekTransactionStatus exists for. */
async function executedUnnoticed(): Promise<IntakeItem> {
  const item = await harness.make({ phoneNumber: '237677209906' })
  harness.startDispatcher()
  await waitUntil('the operator executes', async () => (await harness.books()).get(item.transactionId)?.status === 'SUCCESS')
  await waitUntil('the acceptance is recorded', async () => (await harness.workOf(item))?.['state'] === 'submitted')
  await stopAll()
  return item
}

test('the final result of the operator is returned and stored, with its token', async () => {
  const item = await executedUnnoticed()
  assert.equal((await harness.read(item)).status, 'PENDING')
  const result = await synchronise(item)
  assert.ok(result.ok)
  assert.equal(result.value.status, 'SUCCESS')
  assert.match(result.value.payToken, /^PT/)
  assert.deepEqual(await harness.attemptsOf(item), ['submit accepted', 'query succeeded'])
  await harness.compareBooks()
})

test('one settlement for many calls at once while a dispatcher works on the same row', async () => {
  const item = await executedUnnoticed()
  await harness.database.pool.query('update operator_work set next_at = now() where transaction_id = $1', [item.transactionId])
  harness.startDispatcher()
  const results = await Promise.all(Array.from({ length: 20 }, () => synchronise(item)))
  for (const result of results) assert.equal(result.ok && result.value.status, 'SUCCESS')
  assert.equal((await harness.read(item)).version, 2)
  await stopAll()
  await harness.compareBooks()
})

test('a final status is returned without a query', async () => {
  const item = await harness.make()
  await transition(harness.database.pool, [
    {
      applicationId: item.applicationId,
      transactionId: item.transactionId,
      event: 'failed',
      message: 'Compte non inscrit',
      actor: SYSTEM_ACTOR,
    },
  ])
  const result = await synchronise(item)
  assert.equal(result.ok && result.value.message, 'Compte non inscrit')
  assert.deepEqual(await harness.attemptsOf(item), [])
})

test('PENDING_APPROVAL is returned without a query, also where the operator is not in service', async () => {
  const band = {
    aboveMinor: '-1',
    firstTimeOnly: false,
    policyVersion: 1,
    rule: { name: 'All' },
    steps: [1],
    needsCode: false,
    expiresInHours: 168,
  }
  const item = await harness.make({ bands: [band as never] })
  const result = await synchronise(item)
  assert.equal(result.ok && result.value.status, 'PENDING_APPROVAL')
  const connectors = { get: () => undefined, has: () => false, limitsOf: () => undefined, operators: () => [] }
  assert.deepEqual(await synchronise(item, { ...harness.forcedEnquiries, connectors }), result)
  assert.deepEqual(await harness.attemptsOf(item), [])
})

test('not_found for a transaction of another application', async () => {
  const item = await harness.make()
  const stranger = { ...item, applicationId: await makeApplication(harness.database.pool) }
  assert.deepEqual(await synchronise(stranger), { ok: false, error: 'not_found' })
  assert.deepEqual(await synchronise({ ...item, transactionId: randomUUID() }), { ok: false, error: 'not_found' })
})

test('queued remains if the operator does not know the transaction yet', async () => {
  const item = await harness.make()
  const result = await synchronise(item)
  assert.equal(result.ok && result.value.status, 'PENDING')
  assert.equal((await harness.workOf(item))?.['state'], 'queued')
})

test('no second submission after denials to forced enquiries', async () => {
  const item = await harness.make()
  await claimAll(harness.database.pool, 'MOMOCM', 50, 60_000)
  for (let count = 0; count < 5; count++) assert.equal((await synchronise(item)).ok, true)
  assert.equal((await harness.workOf(item))?.['state'], 'submitting')
  await harness.database.pool.query('delete from operator_work')
})

test('FAILED, without a query, for a deposit that the balance does not cover', async () => {
  const item = await harness.make({ amountMinor: 999_999_999_900n })
  const result = await synchronise(item)
  assert.deepEqual(result.ok && [result.value.status, result.value.message], ['FAILED', 'Solde insuffisant'])
  assert.equal((await harness.books()).has(item.transactionId), false)
})

test('operator_unavailable if the operator is down, and the stored status remains', async () => {
  const item = await executedUnnoticed()
  await harness.simulator.close()
  assert.deepEqual(await synchronise(item), { ok: false, error: 'operator_unavailable' })
  assert.equal((await harness.read(item)).status, 'PENDING')
  assert.equal((await harness.workOf(item))?.['state'], 'submitted')
  await harness.restartSimulator()
  const result = await synchronise(item)
  assert.equal(result.ok && result.value.status, 'SUCCESS')
})

const exchange = { httpStatus: 200, answer: '{}' }
for (const [state, outcome, isDue, returned] of [
  ['unconfirmed', { kind: 'pending', exchange }, true, 'PENDING'],
  ['unconfirmed', { kind: 'not_found', exchange }, true, 'PENDING'],
  ['unconfirmed', { kind: 'unknown', detail: 'lost', exchange }, false, 'operator_unavailable'],
  ['submitted', { kind: 'pending', exchange }, false, 'PENDING'],
  ['submitted', { kind: 'not_found', exchange }, false, 'PENDING'],
] as [string, QueryOutcome, boolean, string][])
  test(`${returned}, and ${isDue ? 'the dispatcher queries it at once' : 'its schedule stays'}, after ${outcome.kind} about a row that is ${state}`, async () => {
    const item = await harness.make({ operator: 'OMCM' })
    await harness.database.pool.query(
      "update operator_work set state = $2, submissions = 1, attempts = 1, next_at = now() + interval '1 hour' where transaction_id = $1",
      [item.transactionId, state],
    )
    const connectors = connectorsWith(harness, { query: async () => outcome })
    const result = await synchroniseTransaction(
      { ...harness.forcedEnquiries, connectors },
      { applicationId: item.applicationId, transactionId: item.transactionId, actor: { kind: 'api', id: API_USER } },
    )
    assert.equal(result.ok ? result.value.status : result.error, returned)
    const { rows } = await harness.database.pool.query(
      'select next_at <= clock_timestamp() as is_due from operator_work where transaction_id = $1',
      [item.transactionId],
    )
    assert.deepEqual(rows, [{ is_due: isDue }])
  })
