import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createPool } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import type { QueryOutcome, SubmitOutcome } from '../connector.ts'
import { createCallbackIntake, handleCallback } from '../handle-callback.ts'
import { SIGNATURE_HEADER, signCallback } from '../sandbox-protocol/messages.ts'
import { connectorsWith, OperatorHarness, SECRET } from '../testing/operator-harness.ts'
import { readContradictions } from '../testing/recorded-contradictions.ts'
import type { Dispatcher } from './dispatch/dispatcher.ts'

const exchange = { httpStatus: 200, answer: '{}' }
const ACCEPTED: SubmitOutcome = { kind: 'accepted', exchange }
const SUCCEEDED: QueryOutcome = { kind: 'succeeded', exchange }
const PENDING: QueryOutcome = { kind: 'pending', exchange }
/** Longer than a test. */
const NEVER_MS = 600_000

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open({ hasNoCallbacks: true })
})
after(() => harness.close())
beforeEach(() => harness.database.pool.query('delete from operator_work'))

/** A transaction that its operator accepted, and the dispatcher that submitted it and queries nothing on a schedule. */
async function anAccepted(query: () => Promise<QueryOutcome>): Promise<{ item: IntakeItem; dispatcher: Dispatcher }> {
  const connectors = connectorsWith(harness, { submit: async () => ACCEPTED, query })
  const dispatcher = harness.startDispatcher({ connectors, idlePollMs: NEVER_MS, pollDelaysMs: [NEVER_MS], submissionsMax: 1 })
  const item = await harness.make({ operator: 'OMCM' })
  dispatcher.wake()
  await waitUntil('the answer is recorded', async () => (await harness.workOf(item))?.['state'] === 'submitted')
  await waitUntil('the dispatcher knows that it is', () => hasFreeSlot(dispatcher, item))
  return { item, dispatcher }
}

/** Whether the only slot is free: a submission keeps it until the dispatcher has noted its answer, a moment after the commit. */
function hasFreeSlot(dispatcher: Dispatcher, item: IntakeItem): boolean {
  const reserved = dispatcher.reserveSlots([item])
  reserved?.submit([])
  return reserved?.claims[0] !== undefined
}

/** The operator's callback to this process. Resolves when it is answered. */
function callBack(
  { item, dispatcher }: { item: IntakeItem; dispatcher: Dispatcher },
  status = 'SUCCESS',
  { hasLoop = true, pool = harness.database.pool } = {},
) {
  const intake = createCallbackIntake({
    pool,
    connectors: harness.connectors,
    logger: createLogger('silent'),
    wake: dispatcher.wakeQueries,
    ...(hasLoop && { settleByCallback: dispatcher.settleByCallback }),
    hintGapMs: 5,
  })
  const body = JSON.stringify({ reference: item.transactionId, context: item.applicationId, status, operatorReference: 'SIM1' })
  return handleCallback(intake, 'OMCM', { [SIGNATURE_HEADER]: signCallback(SECRET, body, new Date()) }, Buffer.from(body))
}

const AWAITED = { ok: true, value: { isAwaited: true } }
const UNAWAITED = { ok: true, value: { isAwaited: false } }

test('the end of the transaction is committed with the callback and the query when the callback is answered', async () => {
  const open = await anAccepted(async () => SUCCEEDED)
  assert.deepEqual(await callBack(open), AWAITED)
  assert.equal((await harness.read(open.item)).status, 'SUCCESS')
  assert.deepEqual(await harness.attemptsOf(open.item), ['submit accepted', 'callback succeeded', 'query succeeded'])
  await open.dispatcher.drain()
})

test('answered without the database: a callback that agrees with the result that a query or an earlier callback found; one that differs is stored', async () => {
  for (const end of ['query', 'callback'] as const) {
    const open = await anAccepted(async () => SUCCEEDED)
    if (end === 'callback') await callBack(open)
    else {
      await harness.database.pool.query('update operator_work set next_at = now() where transaction_id = $1', [open.item.transactionId])
      open.dispatcher.wake()
    }
    await harness.untilFinal(open.item)
    const pool = createPool({ databaseUrl: harness.database.url, connectionsMax: 1, applicationName: 'closed' })
    await pool.end()
    // The end is known as soon as the query that found it has returned.
    await waitUntil('the result is known', () => callBack(open, 'SUCCESS', { pool }).catch(() => undefined))
    assert.deepEqual(await callBack(open, 'SUCCESS', { pool }), UNAWAITED)
    await assert.rejects(callBack(open, 'FAILED', { pool }))
    assert.equal((await readContradictions(harness.database.pool, open.item)).length, 0)
    await callBack(open, 'FAILED')
    assert.equal((await readContradictions(harness.database.pool, open.item)).length, 1)
    await open.dispatcher.drain()
  }
})

test('the submission in the list while the transaction is open, and one row with the callback and the query once it has ended', async () => {
  const open = await anAccepted(async () => SUCCEEDED)
  const { transactionId } = open.item
  const countRows = async () => {
    const { rows } = await harness.database.pool.query('select 1 from operator_attempts where transaction_id = $1', [transactionId])
    return rows.length
  }
  assert.deepEqual([await harness.attemptsOf(open.item), await countRows()], [['submit accepted'], 0])
  await callBack(open)
  assert.equal(await countRows(), 1)
  await open.dispatcher.drain()
})

test('the result of the query, not the claim of the callback', async () => {
  const open = await anAccepted(async () => SUCCEEDED)
  assert.deepEqual(await callBack(open, 'FAILED'), AWAITED)
  assert.equal((await harness.read(open.item)).status, 'SUCCESS')
  assert.deepEqual(await harness.attemptsOf(open.item), ['submit accepted', 'callback failed', 'query succeeded'])
  await open.dispatcher.drain()
})

test('a stored callback that makes another query due, after a query that the operator answered with pending', async () => {
  const answers = [PENDING, SUCCEEDED]
  const open = await anAccepted(async () => answers.shift() ?? SUCCEEDED)
  assert.deepEqual(await callBack(open), AWAITED)
  assert.equal((await harness.untilFinal(open.item)).status, 'SUCCESS')
  await open.dispatcher.drain()
  assert.deepEqual((await harness.attemptsOf(open.item)).toSorted(), [
    'callback succeeded',
    'query pending',
    'query succeeded',
    'submit accepted',
  ])
})

test('a stored callback while the operator does not answer the query, whose late result still ends the transaction', async () => {
  const answers: PromiseWithResolvers<QueryOutcome>[] = []
  const open = await anAccepted(() => {
    const answer = Promise.withResolvers<QueryOutcome>()
    answers.push(answer)
    return answer.promise
  })
  assert.deepEqual(await callBack(open), AWAITED)
  assert.deepEqual(await harness.attemptsOf(open.item), ['submit accepted', 'callback succeeded'])
  answers[0]?.resolve(SUCCEEDED)
  assert.equal((await harness.untilFinal(open.item)).status, 'SUCCESS')
  for (const answer of answers) answer.resolve(SUCCEEDED)
  await open.dispatcher.drain()
})

test('no attempt is lost and nothing moves twice when a claim queries at the same time', async () => {
  const answers: PromiseWithResolvers<QueryOutcome>[] = []
  const open = await anAccepted(() => {
    const answer = Promise.withResolvers<QueryOutcome>()
    answers.push(answer)
    return answer.promise
  })
  const answered = callBack(open)
  await waitUntil('the callback is being confirmed', async () => answers.length === 1)
  await harness.database.pool.query('update operator_work set next_at = now() where transaction_id = $1', [open.item.transactionId])
  open.dispatcher.wake()
  await waitUntil('a claim queries too', async () => answers.length === 2)
  for (const answer of answers) answer.resolve(SUCCEEDED)
  assert.equal((await answered).ok, true)
  await open.dispatcher.drain()
  assert.equal((await harness.read(open.item)).status, 'SUCCESS')
  const attempts = await harness.attemptsOf(open.item)
  assert.equal(attempts.filter((attempt) => attempt === 'query succeeded').length, 2)
  const { rows } = await harness.database.pool.query("select 1 from ledger_postings where subject_id = $1 and kind = 'settle'", [
    open.item.transactionId,
  ])
  assert.equal(rows.length, 1)
})

test('a contradiction if the transaction ended otherwise while the operator was queried', async () => {
  const answer = Promise.withResolvers<QueryOutcome>()
  const asked = Promise.withResolvers<void>()
  const open = await anAccepted(() => {
    asked.resolve()
    return answer.promise
  })
  const answered = callBack(open)
  await asked.promise
  await transition(harness.database.pool, [{ ...open.item, event: 'failed', message: 'Refused', actor: SYSTEM_ACTOR }])
  answer.resolve(SUCCEEDED)
  assert.equal((await answered).ok, true)
  await open.dispatcher.drain()
  assert.equal((await harness.read(open.item)).status, 'FAILED')
  assert.ok((await readContradictions(harness.database.pool, open.item)).length > 0)
  assert.ok((await harness.attemptsOf(open.item)).includes('query succeeded'))
})

test('a stored callback, without a query of its own, if it is unsigned', async () => {
  let queries = 0
  const open = await anAccepted(async () => {
    queries++
    return PENDING
  })
  const { applicationId: application_id, transactionId: transaction_id } = open.item
  const callback = { application_id, transaction_id, operator: 'OMCM', outcome: 'succeeded', answer: '{}', is_verified: false } as const
  assert.equal(await open.dispatcher.settleByCallback(callback), undefined)
  await open.dispatcher.drain()
  assert.equal(queries, 0)
})

test('a stored callback, at a process that did not submit the transaction', async () => {
  const open = await anAccepted(async () => SUCCEEDED)
  await callBack(open, 'SUCCESS', { hasLoop: false })
  assert.equal((await harness.untilFinal(open.item)).status, 'SUCCESS')
  await open.dispatcher.drain()
  assert.deepEqual(await harness.attemptsOf(open.item), ['submit accepted', 'callback succeeded', 'query succeeded'])
})

test('a drain waits for the query that a callback caused, and for the end of its transaction', async () => {
  const answer = Promise.withResolvers<QueryOutcome>()
  const open = await anAccepted(() => answer.promise)
  const answered = callBack(open)
  let isDrained = false
  const drained = open.dispatcher.drain().then(() => {
    isDrained = true
  })
  await harness.database.pool.query('select 1')
  assert.equal(isDrained, false)
  answer.resolve(SUCCEEDED)
  await Promise.all([answered, drained])
  assert.equal((await harness.read(open.item)).status, 'SUCCESS')
})
