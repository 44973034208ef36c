import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import { SIGNATURE_HEADER, signCallback } from '#server/operators/sandbox-protocol/signature.ts'
import { OperatorHarness, SECRET } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { createCallbackIntake, handleCallback } from './handle-callback.ts'

let room: OperatorHarness
before(async () => {
  room = await OperatorHarness.open({ dispatcher: { pollDelaysMs: [600_000] } })
  room.startDispatcher()
})
after(() => room.close())

function callback(item: Pick<IntakeItem, 'applicationId' | 'transactionId'>, operator = 'MOMOCM') {
  const body = JSON.stringify({ reference: item.transactionId, context: item.applicationId, status: 'SUCCESS', operatorReference: 'SIM1' })
  return handleCallback(room.desk, operator, { [SIGNATURE_HEADER]: signCallback(SECRET, body, new Date()) }, Buffer.from(body))
}

async function open(): Promise<IntakeItem> {
  const item = await room.make({ phoneNumber: '237677209912' })
  await waitUntil('the operator accepts', async () => (await room.workOf(item))?.['state'] === 'submitted')
  return item
}

test('a callback makes a query at once, long before the schedule, and its claim of SUCCESS is not believed', async () => {
  const item = await open()
  assert.deepEqual(await callback(item), { ok: true, value: { isAwaited: true } })
  await waitUntil('the query', async () => (await room.attemptsOf(item)).includes('query pending'))
  assert.equal((await room.read(item)).status, 'PENDING')
})

test('a storm of callbacks costs a handful of queries, and leaves no pile of records', async () => {
  const item = await open()
  const results = await Promise.all(Array.from({ length: 500 }, () => callback(item)))
  assert.equal(
    results.every((result) => result.ok),
    true,
  )
  await waitUntil('the query', async () => (await room.attemptsOf(item)).includes('query pending'))
  const attempts = await room.attemptsOf(item)
  // Callbacks that wait together are one; how many queries fit between the batches depends on the machine.
  assert.ok(attempts.length < 20, `${attempts.length} attempts`)
})

test('unsigned, malformed and unknown callbacks are refused by name; those about unprovenReceivers are harmless', async () => {
  const item = await open()
  const body = Buffer.from('{}')
  assert.deepEqual(await handleCallback(room.desk, 'MOMOCM', {}, body), { ok: false, error: 'unverified' })
  assert.deepEqual(await handleCallback(room.desk, 'NOBODY', {}, body), { ok: false, error: 'unknown_operator' })
  assert.deepEqual(await handleCallback(room.desk, '__proto__', {}, body), { ok: false, error: 'unknown_operator' })
  const signed = { [SIGNATURE_HEADER]: signCallback(SECRET, '{}', new Date()) }
  assert.deepEqual(await handleCallback(room.desk, 'MOMOCM', signed, body), { ok: false, error: 'malformed' })
  const ignored = { ok: true, value: { isAwaited: false } }
  assert.deepEqual(await callback({ applicationId: randomUUID(), transactionId: randomUUID() }), ignored)
  assert.deepEqual(await callback({ applicationId: randomUUID(), transactionId: item.transactionId }), ignored)
  assert.deepEqual(await callback(item, 'OMCM'), ignored)
})

test('a callback after the end changes nothing', async () => {
  const item = await room.make()
  await room.untilFinal(item)
  const attempts = await room.attemptsOf(item)
  assert.deepEqual(await callback(item), { ok: true, value: { isAwaited: false } })
  assert.deepEqual(await room.attemptsOf(item), attempts)
})

test('a callback for a transaction that was never sent is ignored', async () => {
  await Promise.all(room.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
  const item = await room.make()
  assert.deepEqual(await callback(item), { ok: true, value: { isAwaited: false } })
  assert.equal((await room.workOf(item))?.['state'], 'queued')
})

test('more callbacks than may wait are refused instead of piling up', async () => {
  const desk = createCallbackIntake({ pool: room.database.pool, connectors: room.connectors, logger: createLogger('silent'), queueMax: 2 })
  const results = await Promise.all(
    Array.from({ length: 20 }, () => {
      const body = JSON.stringify({ reference: randomUUID(), context: randomUUID(), status: 'SUCCESS', operatorReference: 'SIM1' })
      return handleCallback(desk, 'MOMOCM', { [SIGNATURE_HEADER]: signCallback(SECRET, body, new Date()) }, Buffer.from(body))
    }),
  )
  assert.equal(results.filter((result) => !result.ok && result.error === 'overloaded').length, 18)
})
