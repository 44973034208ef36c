import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { type ScriptedOperator, sayNotFound, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { createAnswerRecorder } from './answer-recorder.ts'
import { claimDueWork, hintWork } from './operator-work-store.ts'
import { synchroniseTransaction } from './synchronise-transaction.ts'

let operator: ScriptedOperator
let room: OperatorHarness
before(async () => {
  operator = await startScriptedOperator({ submit: (asked) => sayTransfer(asked, 'PENDING'), query: sayNotFound })
  // With the deadlines of real life: here no answer may be late, however busy the machine.
  room = await OperatorHarness.open({
    elsewhere: { OMCM: operator.url },
    callTimeoutMs: 10_000,
    dispatcher: { absenceMs: 20, acceptedAbsenceMs: 20, leaseMs: 60_000 },
  })
})
after(async () => {
  await room.close()
  await operator.close()
})

async function stopAll(): Promise<void> {
  await Promise.all(room.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

function timesSent(item: IntakeItem): number {
  return operator.submitted.filter((reference) => reference === item.transactionId).length
}

async function denials(item: IntakeItem): Promise<number> {
  return (await room.attemptsOf(item)).filter((attempt) => attempt === 'query not_found').length
}

/** Sent, not answered, denied twice: about to be sent again. */
async function queuedAgain(): Promise<IntakeItem> {
  const item = await room.make({ operator: 'OMCM' })
  await claimDueWork(room.database.pool, new Map([['OMCM', 50]]), 1)
  const recorder = createRecorder()
  for (let asked = 0; asked < 2; asked++) {
    const [work] = await waitUntil('the row comes due', async () => {
      const claimed = await claimDueWork(room.database.pool, new Map([['OMCM', 50]]), 60_000)
      return claimed.length > 0 && claimed
    })
    assert.ok(work)
    await recorder.submit({ work, kind: 'query', outcome: { kind: 'not_found', exchange: { httpStatus: 404, answer: '' } }, durationMs: 1 })
  }
  const work = await room.workOf(item)
  assert.equal(work?.['state'], 'queued')
  return item
}

function createRecorder() {
  return createAnswerRecorder({
    pool: room.database.pool,
    random: () => 0.5,
    pollDelaysMs: [1],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: 1 },
  })
}

async function forget(item: IntakeItem): Promise<void> {
  await room.database.pool.query('delete from operator_work where transaction_id = $1', [item.transactionId])
}

test('unconfirmed, and never sent again: what the operator accepted and then denies, however often it does', async () => {
  const item = await room.make({ operator: 'OMCM' })
  room.startDispatcher()
  await waitUntil('six denials', async () => (await denials(item)) >= 6)
  await stopAll()
  const work = await room.workOf(item)
  assert.equal(work?.['state'], 'unconfirmed')
  assert.ok(work?.['unconfirmed_since'] instanceof Date, 'it is in the list of unconfirmed money')
  assert.ok(work?.['next_at'] instanceof Date, 'it is still asked about')
  assert.equal(timesSent(item), 1)
  assert.equal((await room.read(item)).status, 'PENDING')
  await forget(item)
})

test('the same where the operator said only to a query that it has the transfer', async () => {
  const item = await room.make({ operator: 'OMCM' })
  let queries = 0
  operator.script = {
    submit: ({ response }) => response.destroy(),
    query: (asked) => (++queries === 1 ? sayTransfer(asked, 'PENDING') : sayNotFound(asked)),
  }
  room.startDispatcher()
  await waitUntil('six denials', async () => (await denials(item)) >= 6)
  await stopAll()
  assert.equal((await room.workOf(item))?.['state'], 'unconfirmed')
  assert.equal(timesSent(item), 1)
  await forget(item)
})

test('SUCCESS in the end: an operator that finds what it had denied is still listened to', async () => {
  const item = await room.make({ operator: 'OMCM' })
  let queries = 0
  operator.script = {
    submit: (asked) => sayTransfer(asked, 'PENDING'),
    query: (asked) => (++queries <= 4 ? sayNotFound(asked) : sayTransfer(asked, 'SUCCESS')),
  }
  room.startDispatcher()
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  assert.equal(timesSent(item), 1)
})

test('sent again under its reference: what the operator never accepted and denies twice', async () => {
  const item = await room.make({ operator: 'OMCM' })
  operator.script = {
    submit: (asked) => (timesSent(item) < 2 ? asked.response.destroy() : sayTransfer(asked, 'SUCCESS')),
    query: sayNotFound,
  }
  room.startDispatcher()
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  assert.equal(timesSent(item), 2)
})

test('a callback about what was about to be sent again keeps it from being sent, and it is asked about', async () => {
  const item = await queuedAgain()
  const hint = { place: 0, app: item.applicationId, id: item.transactionId, operator: 'OMCM' as const, outcome: 'succeeded', answer: '' }
  assert.deepEqual(await hintWork(room.database.pool, [hint], 1), ['taken'])
  assert.equal((await room.workOf(item))?.['state'], 'unconfirmed')
  operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: (asked) => sayTransfer(asked, 'FAILED', { message: 'x' }) }
  room.startDispatcher()
  await room.untilFinal(item)
  await stopAll()
  assert.equal(timesSent(item), 0)
})

test('a forced query that finds what was about to be sent again keeps it from being sent', async () => {
  const item = await queuedAgain()
  operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: (asked) => sayTransfer(asked, 'PENDING') }
  const { applicationId, transactionId } = item
  const result = await synchroniseTransaction(room.forcedQueries, { applicationId, transactionId, actor: { kind: 'system', id: null } })
  assert.equal(result.ok && result.value.status, 'PENDING')
  const work = await room.workOf(item)
  assert.equal(work?.['state'], 'submitted')
  assert.ok(work?.['accepted_at'] instanceof Date)
  await forget(item)
})

test('the late answer to an overtaken submission, which shows that the operator has it, keeps it from being sent again', async () => {
  for (const outcome of [
    { kind: 'accepted', exchange: { httpStatus: 202, answer: '' } },
    { kind: 'succeeded', exchange: { httpStatus: 200, answer: '' } },
  ] as const) {
    const item = await room.make({ operator: 'OMCM' })
    const [first] = await claimDueWork(room.database.pool, new Map([['OMCM', 50]]), 1)
    assert.ok(first)
    await waitUntil('the lease ends', async () => (await claimDueWork(room.database.pool, new Map([['OMCM', 50]]), 1)).length > 0)
    assert.deepEqual(await createRecorder().submit({ work: first, kind: 'submit', outcome, durationMs: 1 }), { isCurrent: false })
    operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: sayNotFound }
    room.startDispatcher()
    await waitUntil('four denials', async () => (await denials(item)) >= 4)
    await stopAll()
    assert.equal((await room.workOf(item))?.['state'], 'unconfirmed')
    assert.equal(timesSent(item), 0)
    await forget(item)
  }
})

test('a row that was accepted cannot be queued again by any statement', async () => {
  const item = await room.make({ operator: 'OMCM' })
  await room.database.pool.query("update operator_work set state = 'submitted', accepted_at = now() where transaction_id = $1", [
    item.transactionId,
  ])
  await assert.rejects(
    room.database.pool.query("update operator_work set state = 'queued' where transaction_id = $1", [item.transactionId]),
    /operator_work_accepted_stays/,
  )
  await forget(item)
})
