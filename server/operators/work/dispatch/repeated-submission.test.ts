import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Connector, QueryOutcome, Submission, SubmitOutcome } from '#server/operators/connector.ts'
import { awaitCode } from '#server/operators/customer-step/customer-code-store.ts'
import { enterCode } from '#server/operators/customer-step/enter-code.ts'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { scheduleSecondLooks } from '../contradiction-store.ts'
import { createAnswerRecorder } from '../settle-final-result.ts'

const exchange = { httpStatus: 200, answer: '{}' }
const LOST: SubmitOutcome = { kind: 'unknown', detail: 'lost', exchange }
const NOT_SENT: SubmitOutcome = { kind: 'not_sent', detail: 'no connection', exchange }
const REFUSED: SubmitOutcome = { kind: 'failed', reason: 'Solde insuffisant', operatorCode: '60019', exchange }
const NOT_FOUND: QueryOutcome = { kind: 'not_found', exchange }

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

type Script = { submit(attempt: number, submission: Submission): SubmitOutcome; query(submissions: number): QueryOutcome }

/** Runs one deposit at an operator that answers so, to its end. */
async function run(script: Script): Promise<{ item: IntakeItem; submissions: Submission[] }> {
  const submissions: Submission[] = []
  const submit: Connector['submit'] = async (submission) => {
    submissions.push(submission)
    return script.submit(submissions.length, submission)
  }
  const connectors = connectorsWith(harness, { submit, query: async () => script.query(submissions.length) })
  const dispatcher = harness.startDispatcher({ connectors, acceptedAbsenceMs: 20 })
  const item = await harness.make({ operator: 'OMCM' })
  await harness.untilFinal(item)
  await dispatcher.drain()
  return { item, submissions }
}

test('SUCCESS where the refusal of the second submission meant that the first one was executed', async () => {
  let queriesAfterRefusal = 0
  const { item, submissions } = await run({
    submit: (attempt) => (attempt === 1 ? LOST : REFUSED),
    query: (sent) => (sent < 2 || queriesAfterRefusal++ === 0 ? NOT_FOUND : { kind: 'succeeded', exchange }),
  })
  assert.equal((await harness.read(item)).status, 'SUCCESS')
  assert.deepEqual(
    submissions.map(({ isRepeated }) => isRepeated),
    [false, true],
  )
})

test('FAILED with the refusal, and no third submission, once the operator has denied for long enough that it knows a refused repetition', async () => {
  const { item, submissions } = await run({ submit: (attempt) => (attempt === 1 ? LOST : REFUSED), query: () => NOT_FOUND })
  const { status, message } = await harness.read(item)
  assert.deepEqual([status, message, submissions.length], ['FAILED', 'Solde insuffisant', 2])
  const [first, ...afterRefusal] = (await harness.attemptsOf(item)).slice(3)
  assert.equal(first, 'submit unknown')
  assert.ok(afterRefusal.length >= 2 && afterRefusal.every((attempt) => attempt === 'query not_found'), afterRefusal.join())
})

test('FAILED at once for a refusal after submissions that were never sent', async () => {
  const { item, submissions } = await run({ submit: (attempt) => (attempt < 3 ? NOT_SENT : REFUSED), query: () => assert.fail('queried') })
  assert.equal((await harness.read(item)).status, 'FAILED')
  assert.deepEqual(
    submissions.map(({ isRepeated }) => isRepeated),
    [false, false, false],
  )
})

test('isRepeated after a submission whose process ended before it had an answer', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  await claimAll(harness.database.pool, 'OMCM', 5, 1)
  let isRepeated: boolean | undefined
  const submit: Connector['submit'] = async (submission) => {
    isRepeated = submission.isRepeated
    return { kind: 'succeeded', exchange }
  }
  const dispatcher = harness.startDispatcher({ connectors: connectorsWith(harness, { submit, query: async () => NOT_FOUND }) })
  await harness.untilFinal(item)
  await dispatcher.drain()
  assert.equal(isRepeated, true)
  assert.equal((await harness.attemptsOf(item))[0], 'submit interrupted')
})

test('open, and queried, where the operator proves receipt after two denials of a refused repetition', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  const recorder = createAnswerRecorder({
    pool: harness.database.pool,
    random: () => 0.5,
    pollDelaysMs: [600_000],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: 5 },
  })
  const claim = async () => {
    await harness.database.pool.query('update operator_work set next_at = now(), claimed_until = now() where transaction_id = $1', [
      item.transactionId,
    ])
    const [work] = await claimAll(harness.database.pool, 'OMCM', 5, 60_000)
    return work ?? assert.fail('nothing is due')
  }
  const refusal = { kind: 'unknown', detail: '', doubt: { kind: 'refused', reason: 'Solde insuffisant' }, exchange } as const
  await recorder.submit({ work: await claim(), kind: 'submit', outcome: refusal, durationMs: 1 })
  for (let denials = 0; denials < 2; denials++)
    await recorder.submit({ work: await claim(), kind: 'query', outcome: NOT_FOUND, durationMs: 1 })
  assert.equal((await harness.workOf(item))?.['result'], 'failed')
  await harness.database.pool.query('update operator_work set accepted_at = now() where transaction_id = $1', [item.transactionId])
  assert.equal((await claim()).result, null)
})

test('unconfirmed until a refused repetition was denied for ten times as long as after an acceptance, because the first one may still arrive', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM' })
  const rules = { absenceMs: 0, acceptedAbsenceMs: 60_000, hintGapMs: 5 }
  const recorder = createAnswerRecorder({ pool, random: () => 0.5, pollDelaysMs: [600_000], rules })
  const pass = (ms: number) =>
    pool.query(
      `update operator_work set next_at = now(), claimed_until = now(), absent_since = absent_since - $2 * interval '1 millisecond'
         where transaction_id = $1`,
      [item.transactionId, ms],
    )
  const claim = async () => (await claimAll(pool, 'OMCM', 5, 60_000))[0] ?? assert.fail('nothing is due')
  const refusal = { kind: 'unknown', detail: '', doubt: { kind: 'refused', reason: 'Solde insuffisant' }, exchange } as const
  await recorder.submit({ work: await claim(), kind: 'submit', outcome: refusal, durationMs: 1 })
  const results: unknown[] = []
  for (const ms of [0, 60_000, 500_000, 50_000]) {
    await pass(ms)
    await recorder.submit({ work: await claim(), kind: 'query', outcome: NOT_FOUND, durationMs: 1 })
    const row = await harness.workOf(item)
    results.push([row?.['state'], row?.['result']])
  }
  assert.deepEqual(results, [...Array(3).fill(['unconfirmed', 'refused']), ['unconfirmed', 'failed']])
})

/** A collect whose first code was sent and never answered, and which awaits a second one. */
async function lostWithCode(query: () => QueryOutcome) {
  const submit: Connector['submit'] = async ({ customerCode }) => (customerCode === undefined ? NOT_SENT : LOST)
  const connectors = connectorsWith(harness, { customerStep: { dial: () => '*144#' }, submit, query: async () => query() })
  const dispatcher = harness.startDispatcher({ connectors, acceptedAbsenceMs: 20 })
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT', phoneNumber: `2376990${String(++numbers).padStart(5, '0')}` })
  const awaits = () => waitUntil('a code is awaited', async () => (await harness.workOf(item))?.['state'] === 'awaiting_code')
  await awaits()
  assert.ok((await enterCode(harness.database.pool, (await harness.read(item)).payToken ?? assert.fail(), '1111', 4)).ok)
  dispatcher.wake()
  await waitUntil('the code was sent', async () => (await harness.attemptsOf(item)).includes('submit unknown'))
  return { item, dispatcher, awaits }
}
let numbers = 0

test('SUCCESS where no second code is entered in time and the operator finds the payment of the first one', async () => {
  let isOver = false
  const { item, dispatcher, awaits } = await lostWithCode(() => (isOver ? { kind: 'succeeded', exchange } : NOT_FOUND))
  await awaits()
  isOver = true
  await harness.database.pool.query(`update operator_work set code_until = now(), next_at = now() where transaction_id = $1`, [
    item.transactionId,
  ])
  dispatcher.wake()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await dispatcher.drain()
})

test('FAILED for want of a second code only after the operator has denied the first one for long enough, with a second look', async () => {
  const { item, dispatcher, awaits } = await lostWithCode(() => NOT_FOUND)
  await awaits()
  const before = (await harness.attemptsOf(item)).length
  await harness.database.pool.query(`update operator_work set code_until = now(), next_at = now() where transaction_id = $1`, [
    item.transactionId,
  ])
  dispatcher.wake()
  const { status, message } = await harness.untilFinal(item)
  await dispatcher.drain()
  assert.deepEqual([status, message], ['FAILED', 'Timeout opérateur'])
  assert.ok((await harness.attemptsOf(item)).slice(before).length >= 2, 'it was queried twice')
  await scheduleSecondLooks(harness.database.pool, 100, 0)
  const { rowCount } = await harness.database.pool.query('select from contradiction_queries where transaction_id = $1', [
    item.transactionId,
  ])
  assert.equal(rowCount, 1)
})

test('SUCCESS where another payment awaits a code when this one would ask for a second, and the operator finds the first', async () => {
  let isOver = false
  const { item, dispatcher } = await lostWithCode(() => {
    if (isOver) return { kind: 'succeeded', exchange }
    return NOT_FOUND
  })
  await waitUntil('a code is awaited', async () => (await harness.workOf(item))?.['state'] === 'awaiting_code')
  const { pool } = harness.database
  // Held by another payment, and due to be sent again.
  await pool.query(
    `update customer_code_numbers n set transaction_id = gen_random_uuid(), held_until = now() + interval '1 hour' from transactions t
      where t.transaction_id = $1 and n.phone_number = t.phone_number`,
    [item.transactionId],
  )
  await pool.query(`update operator_work set state = 'queued', next_at = now() where transaction_id = $1`, [item.transactionId])
  dispatcher.wake()
  await waitUntil('the refusal is doubted', async () => (await harness.workOf(item))?.['result'] === 'refused')
  isOver = true
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await dispatcher.drain()
})

test('unconfirmed, with the reason in its last answer, after a success of another amount', async () => {
  const ours = { amountMinor: 500_000n, currency: 'XAF', phoneNumber: '677000000' }
  let reported = { ...ours, amountMinor: 100n }
  const connectors = connectorsWith(harness, {
    submit: async () => ({ kind: 'accepted', exchange }),
    query: async ({ phoneNumber }) => ({ kind: 'succeeded', reported: { ...reported, phoneNumber }, exchange }),
  })
  const dispatcher = harness.startDispatcher({ connectors })
  const item = await harness.make({ operator: 'OMCM', amountMinor: ours.amountMinor })
  const work = await waitUntil('it is listed', async () => {
    const found = await harness.workOf(item)
    return found?.['unconfirmed_since'] ? found : undefined
  })
  assert.match(String(work['last_answer']), /^The operator reports another amount: 1 instead of 5000/)
  assert.equal((await harness.read(item)).status, 'PENDING')
  assert.ok((await harness.attemptsOf(item)).includes('query unknown'))
  reported = ours
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await dispatcher.drain()
})

test('another code is asked for after the refusal of a repeated one, once the first is denied; the refusal counts', async () => {
  const { pool } = harness.database
  const codes: (string | undefined)[] = []
  const connectors = connectorsWith(harness, {
    customerStep: { dial: () => '*144#' },
    submit: async ({ customerCode, isRepeated }) => {
      if (customerCode === undefined) return NOT_SENT
      codes.push(`${customerCode} ${isRepeated}`)
      if (codes.length === 1) return LOST
      return codes.length === 2 ? { kind: 'wrong_code', operatorCode: '08', exchange } : { kind: 'succeeded', exchange }
    },
    query: async () => NOT_FOUND,
  })
  const dispatcher = harness.startDispatcher({ connectors })
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  const payToken = (await harness.read(item)).payToken ?? assert.fail()
  for (const code of ['1111', '2222', '3333']) {
    await waitUntil('a code is awaited', async () => (await harness.workOf(item))?.['state'] === 'awaiting_code')
    assert.ok((await enterCode(pool, payToken, code, 4)).ok)
    dispatcher.wake()
  }
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await dispatcher.drain()
  assert.deepEqual(codes, ['1111 false', '2222 true', '3333 true'])
  const { rows } = await pool.query<{ count: number }>(
    'select cardinality(refused_at) as count from customer_code_numbers where transaction_id = $1',
    [item.transactionId],
  )
  assert.equal(rows[0]?.count, 1)
})

test('no other code is asked for, and the row stays in its submission, where a verified callback showed that the operator has the payment', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT', phoneNumber: '237699100001' })
  const [work] = await claimAll(pool, 'OMCM', 5, 60_000)
  assert.ok(work)
  await pool.query('update operator_work set accepted_at = now() where transaction_id = $1', [item.transactionId])
  assert.equal(await awaitCode(pool, work, exchange), 'spent')
  assert.equal((await harness.workOf(item))?.['state'], 'submitting')
})
