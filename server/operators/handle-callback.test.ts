import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { createLogger } from '#server/logger.ts'
import { OperatorHarness, SECRET } from '#server/operators/testing/operator-harness.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { createCallbackIntake, handleCallback } from './handle-callback.ts'
import { SIGNATURE_HEADER, signCallback } from './sandbox-protocol/messages.ts'

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open({ dispatcher: { pollDelaysMs: [600_000] } })
  harness.startDispatcher()
})
after(() => harness.close())

function callback(item: Pick<IntakeItem, 'applicationId' | 'transactionId'>, operator = 'MOMOCM') {
  const body = JSON.stringify({ reference: item.transactionId, context: item.applicationId, status: 'SUCCESS', operatorReference: 'SIM1' })
  return handleCallback(harness.callbackIntake, operator, { [SIGNATURE_HEADER]: signCallback(SECRET, body, new Date()) }, Buffer.from(body))
}

async function open(): Promise<IntakeItem> {
  const item = await harness.make({ phoneNumber: '237677209912' })
  await waitUntil('the operator accepts', async () => (await harness.workOf(item))?.['state'] === 'submitted')
  return item
}

test('a query is made immediately after a callback, and its result counts, not the claim of the callback', async () => {
  const item = await open()
  assert.deepEqual(await callback(item), { ok: true, value: { isAwaited: true } })
  await waitUntil('the query', async () => (await harness.attemptsOf(item)).includes('query pending'))
  assert.equal((await harness.read(item)).status, 'PENDING')
})

test('a handful of queries and attempts after a storm of callbacks', async () => {
  const item = await open()
  const results = await Promise.all(Array.from({ length: 500 }, () => callback(item)))
  assert.equal(
    results.every((result) => result.ok),
    true,
  )
  await waitUntil('the query', async () => (await harness.attemptsOf(item)).includes('query pending'))
  const attempts = await harness.attemptsOf(item)
  // Callbacks that wait together are one; how many queries fit between the batches depends on the machine.
  assert.ok(attempts.length < 20, `${attempts.length} attempts`)
})

test('unverified, malformed or unknown_operator for a callback that cannot be trusted or read', async () => {
  const item = await open()
  const body = Buffer.from('{}')
  assert.deepEqual(await handleCallback(harness.callbackIntake, 'MOMOCM', {}, body), { ok: false, error: 'unverified' })
  assert.deepEqual(await handleCallback(harness.callbackIntake, 'NOBODY', {}, body), { ok: false, error: 'unknown_operator' })
  assert.deepEqual(await handleCallback(harness.callbackIntake, '__proto__', {}, body), { ok: false, error: 'unknown_operator' })
  const signed = { [SIGNATURE_HEADER]: signCallback(SECRET, '{}', new Date()) }
  assert.deepEqual(await handleCallback(harness.callbackIntake, 'MOMOCM', signed, body), { ok: false, error: 'malformed' })
  const ignored = { ok: true, value: { isAwaited: false } }
  assert.deepEqual(await callback({ applicationId: randomUUID(), transactionId: randomUUID() }), ignored)
  assert.deepEqual(await callback({ applicationId: randomUUID(), transactionId: item.transactionId }), ignored)
  assert.deepEqual(await callback(item, 'OMCM'), ignored)
})

test('no change by a callback after the transaction ended', async () => {
  const item = await harness.make()
  await harness.untilFinal(item)
  const attempts = await harness.attemptsOf(item)
  assert.deepEqual(await callback(item), { ok: true, value: { isAwaited: false } })
  assert.deepEqual(await harness.attemptsOf(item), attempts)
})

test('isAwaited is false for a callback about a transaction that was never submitted', async () => {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
  const item = await harness.make()
  assert.deepEqual(await callback(item), { ok: true, value: { isAwaited: false } })
  assert.equal((await harness.workOf(item))?.['state'], 'queued')
})

test('overloaded for more callbacks than may wait', async () => {
  const callbacks = createCallbackIntake({
    pool: harness.database.pool,
    connectors: harness.connectors,
    logger: createLogger('silent'),
    queueMax: 2,
  })
  const results = await Promise.all(
    Array.from({ length: 20 }, () => {
      const body = JSON.stringify({ reference: randomUUID(), context: randomUUID(), status: 'SUCCESS', operatorReference: 'SIM1' })
      return handleCallback(callbacks, 'MOMOCM', { [SIGNATURE_HEADER]: signCallback(SECRET, body, new Date()) }, Buffer.from(body))
    }),
  )
  assert.equal(results.filter((result) => !result.ok && result.error === 'overloaded').length, 18)
})

/** A callback as a connector reads it, about a transaction that may not exist. */
function aCallback(isVerified: boolean, applicationId: string = randomUUID(), transactionId: string = randomUUID()) {
  return {
    application_id: applicationId,
    transaction_id: transactionId,
    operator: 'MOMOCM' as OperatorCode,
    outcome: 'succeeded',
    answer: '',
    is_verified: isVerified,
  }
}

const intakeWith = (options: { queueMax?: number; nowMs?: () => number }) =>
  createCallbackIntake({ pool: harness.database.pool, connectors: harness.connectors, logger: createLogger('silent'), ...options })

test('idle, and not overloaded, for a signed callback while unsigned ones of its application fill the queue', async () => {
  const { store } = intakeWith({ queueMax: 4 })
  const applicationId = randomUUID()
  const unsigned = Array.from({ length: 10 }, () => store(aCallback(false, applicationId)).catch(() => 'overloaded'))
  assert.equal(await store(aCallback(true, applicationId)), 'idle')
  assert.equal((await Promise.all(unsigned)).filter((verdict) => verdict === 'overloaded').length, 7)
})

test('receipt is proved by a signed callback that arrives together with an unsigned one that says the same', async () => {
  const item = await harness.make({ phoneNumber: '237677209912' })
  await harness.database.pool.query(
    "update operator_work set state = 'unconfirmed', submissions = 1, attempts = 1 where transaction_id = $1",
    [item.transactionId],
  )
  const { store } = intakeWith({})
  const { applicationId, transactionId } = item
  const verdicts = await Promise.all([false, true].map((isVerified) => store(aCallback(isVerified, applicationId, transactionId))))
  assert.deepEqual(verdicts, ['taken', 'taken'])
  assert.ok((await harness.workOf(item))?.['accepted_at'] instanceof Date)
})

test('throttled for the fourth unsigned callback about one payment once the allowance of its application is used up, never for the first three', async () => {
  const { store } = intakeWith({ nowMs: () => 0 })
  const applicationId = randomUUID()
  const send = async (transactionId: string, count: number) => {
    const verdicts: string[] = []
    for (let time = 0; time < count; time++) verdicts.push(await store(aCallback(false, applicationId, transactionId)))
    return verdicts.indexOf('throttled')
  }
  assert.equal(await send(randomUUID(), 110), 103)
  assert.equal(await send(randomUUID(), 5), 3)
})

test('five more unsigned callbacks a second once the allowance is used up, for each application and operator apart', async () => {
  let nowMs = 0
  const { store } = intakeWith({ nowMs: () => nowMs })
  const [applicationId, transactionId, otherId] = [randomUUID(), randomUUID(), randomUUID()]
  const countTaken = async (callback: ReturnType<typeof aCallback>) => {
    let taken = 0
    while ((await store(callback)) !== 'throttled') taken++
    return taken
  }
  const callback = aCallback(false, applicationId, transactionId)
  assert.equal(await countTaken(callback), 103)
  // Of this payment too many have arrived, so it takes from the allowance of the other operator.
  assert.equal(await store({ ...callback, operator: 'OMCM' }), 'idle')
  for (let count = 0; count < 5; count++) assert.equal(await store({ ...callback, application_id: otherId }), 'idle')
  nowMs = 1_000
  assert.equal(await countTaken(callback), 5)
  assert.equal(await store({ ...callback, is_verified: true }), 'idle')
})

test('twenty queries about ended payments of an application because of unsigned callbacks, then one every ten seconds', async () => {
  let nowMs = 0
  const { store } = intakeWith({ nowMs: () => nowMs })
  const items = Array.from({ length: 24 }, () => anIntakeItem(harness.applicationId, { type: 'COLLECT' }))
  await takeIn(harness.database.pool, items)
  await transition(
    harness.database.pool,
    items.map((item) => ({ ...item, event: 'failed', actor: SYSTEM_ACTOR })),
  )
  const verdicts: string[] = []
  for (const [index, { applicationId, transactionId }] of items.entries()) {
    if (index === 22) nowMs = 9_999
    if (index === 23) nowMs = 10_000
    verdicts.push(await store(aCallback(false, applicationId, transactionId)))
  }
  const expected = items.map((_, index) => (index < 20 || index === 23 ? 'idle' : 'throttled'))
  assert.deepEqual(verdicts, expected)
  const { rows } = await harness.database.pool.query<{ transaction_id: string }>(
    "select transaction_id from contradiction_queries where application_id = $1 and kind = 'hint'",
    [harness.applicationId],
  )
  assert.deepEqual(
    rows.map((row) => row.transaction_id).sort(),
    items
      .filter((_, index) => expected[index] === 'idle')
      .map(({ transactionId }) => transactionId)
      .sort(),
  )
})
