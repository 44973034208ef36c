import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { SYSTEM_ACTOR } from '#server/transactions/actor.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { claimDueWork } from './operator-work-store.ts'
import { synchroniseTransaction } from './synchronise-transaction.ts'

const API_USER = randomUUID()
let room: OperatorHarness
before(async () => {
  // Polling is far away and no callbacks are awaited: what settles here was asked for.
  room = await OperatorHarness.open({ givesTokens: true, dispatcher: { pollDelaysMs: [600_000] } })
})
after(() => room.close())

async function stopAll(): Promise<void> {
  await Promise.all(room.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

function synchronise(item: IntakeItem) {
  return synchroniseTransaction(room.forcedQueries, {
    applicationId: item.applicationId,
    transactionId: item.transactionId,
    actor: { kind: 'api', id: API_USER },
  })
}

/** Sent, executed by the operator, its callback lost: the case that chekTransactionStatus exists for. */
async function executedUnnoticed(): Promise<IntakeItem> {
  const item = await room.make({ phoneNumber: '237677209906' })
  room.startDispatcher()
  await waitUntil('the operator executes', async () => (await room.books()).get(item.transactionId)?.status === 'SUCCESS')
  await waitUntil('the acceptance is recorded', async () => (await room.workOf(item))?.['state'] === 'submitted')
  await stopAll()
  return item
}

test('the operator is asked now, and its final word is stored and returned, with its token', async () => {
  const item = await executedUnnoticed()
  assert.equal((await room.read(item)).status, 'PENDING')
  const result = await synchronise(item)
  assert.ok(result.ok)
  assert.equal(result.value.status, 'SUCCESS')
  assert.match(result.value.payToken, /^PT/)
  assert.deepEqual(await room.attemptsOf(item), ['submit accepted', 'query succeeded'])
  await room.compareBooks()
})

test('many at once, while a dispatcher works on the same row: settled once', async () => {
  const item = await executedUnnoticed()
  await room.database.pool.query('update operator_work set next_at = now() where transaction_id = $1', [item.transactionId])
  room.startDispatcher()
  const results = await Promise.all(Array.from({ length: 20 }, () => synchronise(item)))
  for (const result of results) assert.equal(result.ok && result.value.status, 'SUCCESS')
  assert.equal((await room.read(item)).version, 2)
  await stopAll()
  await room.compareBooks()
})

test('a final status is returned as it is, without asking', async () => {
  const item = await room.make()
  await transition(room.database.pool, [
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
  assert.deepEqual(await room.attemptsOf(item), [])
})

test('what waits for approval is returned as it is, without asking', async () => {
  const band = {
    aboveMinor: '-1',
    firstTimeOnly: false,
    policyVersion: 1,
    rule: { name: 'All' },
    steps: [1],
    needsCode: false,
    expiresInHours: 168,
  }
  const item = await room.make({ bands: [band as never] })
  const result = await synchronise(item)
  assert.equal(result.ok && result.value.status, 'PENDING_APPROVAL')
  assert.deepEqual(await room.attemptsOf(item), [])
})

test('what is not in this application is not found', async () => {
  const item = await room.make()
  const stranger = { ...item, applicationId: await makeApplication(room.database.pool) }
  assert.deepEqual(await synchronise(stranger), { ok: false, error: 'not_found' })
  assert.deepEqual(await synchronise({ ...item, transactionId: randomUUID() }), { ok: false, error: 'not_found' })
})

test('an operator that knows nothing yet leaves the transaction queued', async () => {
  const item = await room.make()
  const result = await synchronise(item)
  assert.equal(result.ok && result.value.status, 'PENDING')
  assert.equal((await room.workOf(item))?.['state'], 'queued')
})

test('denials that somebody asked for do not count towards sending again', async () => {
  const item = await room.make()
  await claimDueWork(room.database.pool, new Map([['MOMOCM', 50]]), 60_000)
  for (let count = 0; count < 5; count++) assert.equal((await synchronise(item)).ok, true)
  assert.equal((await room.workOf(item))?.['state'], 'submitting')
  await room.database.pool.query('delete from operator_work')
})

test('a deposit that the balance did not cover ends here too, without the operator', async () => {
  const item = await room.make({ amountMinor: 999_999_999_900n })
  const result = await synchronise(item)
  assert.deepEqual(result.ok && [result.value.status, result.value.message], ['FAILED', 'Solde insuffisant'])
  assert.equal((await room.books()).has(item.transactionId), false)
})

test('an operator that is down leaves the stored status untouched', async () => {
  const item = await executedUnnoticed()
  await room.simulator.close()
  assert.deepEqual(await synchronise(item), { ok: false, error: 'operator_unavailable' })
  assert.equal((await room.read(item)).status, 'PENDING')
  assert.equal((await room.workOf(item))?.['state'], 'submitted')
  await room.restartSimulator()
  const result = await synchronise(item)
  assert.equal(result.ok && result.value.status, 'SUCCESS')
})
