import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { type ScriptedOperator, sayNotFound, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { storeCallbacks } from '../operator-work-store.ts'
import { createAnswerRecorder } from '../settle-final-result.ts'
import { synchroniseTransaction } from '../synchronise-transaction.ts'

let operator: ScriptedOperator
let harness: OperatorHarness
before(async () => {
  operator = await startScriptedOperator({ submit: (asked) => sayTransfer(asked, 'PENDING'), query: sayNotFound })
  // With the deadlines of real life: here no answer may be late, however busy the machine.
  harness = await OperatorHarness.open({
    elsewhere: { OMCM: operator.url },
    callTimeoutMs: 10_000,
    dispatcher: { absenceMs: 20, acceptedAbsenceMs: 20, leaseMs: 60_000 },
  })
})
after(async () => {
  await harness.close()
  await operator.close()
})

async function stopAll(): Promise<void> {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

function timesSent(item: IntakeItem): number {
  return operator.submitted.filter((reference) => reference === item.transactionId).length
}

async function denials(item: IntakeItem): Promise<number> {
  return (await harness.attemptsOf(item)).filter((attempt) => attempt === 'query not_found').length
}

/** Sent, not answered, denied twice: about to be sent again. */
async function queuedAgain(): Promise<IntakeItem> {
  const item = await harness.make({ operator: 'OMCM' })
  await claimAll(harness.database.pool, 'OMCM', 50, 1)
  const recorder = createRecorder()
  for (let asked = 0; asked < 2; asked++) {
    const [work] = await waitUntil('the row comes due', async () => {
      const claimed = await claimAll(harness.database.pool, 'OMCM', 50, 60_000)
      return claimed.length > 0 && claimed
    })
    assert.ok(work)
    await recorder.submit({ work, kind: 'query', outcome: { kind: 'not_found', exchange: { httpStatus: 404, answer: '' } }, durationMs: 1 })
  }
  const work = await harness.workOf(item)
  assert.equal(work?.['state'], 'queued')
  return item
}

function createRecorder() {
  return createAnswerRecorder({
    pool: harness.database.pool,
    random: () => 0.5,
    pollDelaysMs: [1],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: 1 },
  })
}

async function forget(item: IntakeItem): Promise<void> {
  await harness.database.pool.query('delete from operator_work where transaction_id = $1', [item.transactionId])
}

test('unconfirmed, and never sent again, for a transfer that the operator accepted and then denies', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  harness.startDispatcher()
  await waitUntil('six denials', async () => (await denials(item)) >= 6)
  await stopAll()
  const work = await harness.workOf(item)
  assert.equal(work?.['state'], 'unconfirmed')
  assert.ok(work?.['accepted_at'] instanceof Date, 'the denials took nothing back of what was accepted')
  assert.ok(work?.['unconfirmed_since'] instanceof Date, 'it is in the list of unconfirmed money')
  assert.ok(work?.['next_at'] instanceof Date, 'a query is still scheduled')
  assert.equal(timesSent(item), 1)
  assert.equal((await harness.read(item)).status, 'PENDING')
  await forget(item)
})

test('unconfirmed for a transfer that only a query showed to be accepted, and that is then denied', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  let queries = 0
  operator.script = {
    submit: ({ response }) => response.destroy(),
    query: (asked) => (++queries === 1 ? sayTransfer(asked, 'PENDING') : sayNotFound(asked)),
  }
  harness.startDispatcher()
  await waitUntil('six denials', async () => (await denials(item)) >= 6)
  await stopAll()
  assert.equal((await harness.workOf(item))?.['state'], 'unconfirmed')
  assert.equal(timesSent(item), 1)
  await forget(item)
})

test('SUCCESS for a transfer that the operator denied and then reports', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  let queries = 0
  operator.script = {
    submit: (asked) => sayTransfer(asked, 'PENDING'),
    query: (asked) => (++queries <= 4 ? sayNotFound(asked) : sayTransfer(asked, 'SUCCESS')),
  }
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  assert.equal(timesSent(item), 1)
})

test('one more submission, with the same reference, for a transfer that was never accepted and is denied twice', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  operator.script = {
    submit: (asked) => (timesSent(item) < 2 ? asked.response.destroy() : sayTransfer(asked, 'SUCCESS')),
    query: sayNotFound,
  }
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  assert.equal(timesSent(item), 2)
})

test('unconfirmed after a callback about a transfer that was about to be sent again', async () => {
  const item = await queuedAgain()
  const { applicationId, transactionId } = item
  const callback = {
    application_id: applicationId,
    transaction_id: transactionId,
    operator: 'OMCM' as const,
    outcome: 'succeeded',
    answer: '',
    is_verified: true,
  }
  // Without a signature anybody may have sent it.
  assert.deepEqual(await storeCallbacks(harness.database.pool, [{ item_index: 0, ...callback, is_verified: false }], 1), ['idle'])
  assert.equal((await harness.workOf(item))?.['state'], 'queued')
  assert.deepEqual(await storeCallbacks(harness.database.pool, [{ item_index: 0, ...callback }], 1), ['taken'])
  assert.equal((await harness.workOf(item))?.['state'], 'unconfirmed')
  operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: (asked) => sayTransfer(asked, 'FAILED', { message: 'x' }) }
  harness.startDispatcher()
  await harness.untilFinal(item)
  await stopAll()
  assert.equal(timesSent(item), 0)
})

/** Sent, not answered, and claimed again for its first query. `absenceMs`: between two denials that are believed. */
async function lostWith(absenceMs: number) {
  const item = await harness.make({ operator: 'OMCM' })
  await claimAll(harness.database.pool, 'OMCM', 50, 1)
  const recorder = createAnswerRecorder({
    pool: harness.database.pool,
    random: () => 0.5,
    pollDelaysMs: [1],
    rules: { absenceMs, acceptedAbsenceMs: 0, hintGapMs: 1 },
  })
  const deny = async () => {
    const [work] = await waitUntil('the row comes due', async () => {
      const claimed = await claimAll(harness.database.pool, 'OMCM', 50, 60_000)
      return claimed.length > 0 && claimed
    })
    assert.ok(work)
    await recorder.submit({ work, kind: 'query', outcome: { kind: 'not_found', exchange: { httpStatus: 404, answer: '' } }, durationMs: 1 })
  }
  const hint = async (isVerified: boolean) => {
    const { applicationId, transactionId } = item
    const row = {
      application_id: applicationId,
      transaction_id: transactionId,
      operator: 'OMCM' as const,
      outcome: 'succeeded',
      answer: '',
    }
    assert.deepEqual(await storeCallbacks(harness.database.pool, [{ item_index: 0, ...row, is_verified: isVerified }], 1), ['taken'])
  }
  return { item, deny, hint }
}

test('queued again after two denials, although a forged callback said that the operator has the transfer', async () => {
  const { item, deny, hint } = await lostWith(0)
  await deny()
  await hint(false)
  await deny()
  const work = await harness.workOf(item)
  assert.deepEqual([work?.['state'], work?.['accepted_at']], ['queued', null])
  await forget(item)
})

test('still unconfirmed after a second denial that a hint brought forward: the pause between two denials counts', async () => {
  const { item, deny, hint } = await lostWith(600_000)
  await deny()
  await hint(false)
  await deny()
  assert.equal((await harness.workOf(item))?.['state'], 'unconfirmed')
  await forget(item)
})

test('no second submission after a forced enquiry found the transfer', async () => {
  const item = await queuedAgain()
  operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: (asked) => sayTransfer(asked, 'PENDING') }
  const { applicationId, transactionId } = item
  const result = await synchroniseTransaction(harness.forcedEnquiries, {
    applicationId,
    transactionId,
    actor: { kind: 'system', id: null },
  })
  assert.equal(result.ok && result.value.status, 'PENDING')
  const work = await harness.workOf(item)
  assert.equal(work?.['state'], 'submitted')
  assert.ok(work?.['accepted_at'] instanceof Date)
  await forget(item)
})

test('no second submission after a late answer showed that the operator has the transfer', async () => {
  for (const outcome of [
    { kind: 'accepted', exchange: { httpStatus: 202, answer: '' } },
    { kind: 'succeeded', exchange: { httpStatus: 200, answer: '' } },
  ] as const) {
    const item = await harness.make({ operator: 'OMCM' })
    const [first] = await claimAll(harness.database.pool, 'OMCM', 50, 1)
    assert.ok(first)
    await waitUntil('the lease ends', async () => (await claimAll(harness.database.pool, 'OMCM', 50, 1)).length > 0)
    assert.deepEqual(await createRecorder().submit({ work: first, kind: 'submit', outcome, durationMs: 1 }), { isCurrent: false })
    operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: sayNotFound }
    harness.startDispatcher()
    await waitUntil('four denials', async () => (await denials(item)) >= 4)
    await stopAll()
    assert.equal((await harness.workOf(item))?.['state'], 'unconfirmed')
    assert.equal(timesSent(item), 0)
    await forget(item)
  }
})

test('FAILED with the operator’s reason, without a query, after the process that was refused ended before it settled', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  const [work] = await claimAll(harness.database.pool, 'OMCM', 50, 50)
  assert.ok(work)
  const exchange = { httpStatus: 400, answer: '{"message":"partyId is not a valid MSISDN"}' }
  const refused = { kind: 'failed', reason: 'Numéro invalide', operatorCode: 'BAD_REQUEST', exchange } as const
  assert.deepEqual(await createRecorder().submit({ work, kind: 'submit', outcome: refused, durationMs: 1 }), { isCurrent: true })
  // The operator kept no trace of what it refused.
  operator.script = { submit: (asked) => sayTransfer(asked, 'PENDING'), query: sayNotFound }
  harness.startDispatcher()
  const ended = await harness.untilFinal(item)
  await stopAll()
  assert.deepEqual([ended.status, ended.message], ['FAILED', 'Numéro invalide'])
  assert.deepEqual(await harness.attemptsOf(item), ['submit failed'])
  assert.equal(timesSent(item), 0)
})

test('a constraint error for any statement that queues an accepted row', async () => {
  const item = await harness.make({ operator: 'OMCM' })
  await harness.database.pool.query("update operator_work set state = 'submitted', accepted_at = now() where transaction_id = $1", [
    item.transactionId,
  ])
  await assert.rejects(
    harness.database.pool.query("update operator_work set state = 'queued' where transaction_id = $1", [item.transactionId]),
    /operator_work_accepted_stays/,
  )
  await forget(item)
})
