import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { selectOperatorAttempts } from '#server/reports/transaction-detail/transaction-detail-store.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'

const exchange = { httpStatus: 200, answer: '{}' }

let harness: OperatorHarness

before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

/** Drains the dispatchers that a test started. */
async function stopAll(): Promise<void> {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

test('the attempt is committed before the operator receives the submission', async () => {
  const item = await harness.make()
  const [claimed] = await claimAll(harness.database.pool, 'MOMOCM', 5, 100)
  assert.equal(claimed?.transactionId, item.transactionId)
  const work = await harness.workOf(item)
  assert.deepEqual([work?.['state'], work?.['submit_number']], ['submitting', 1])
  const shown = await selectOperatorAttempts(harness.database.pool, item.applicationId, item.transactionId, 10)
  assert.deepEqual(
    shown.map(({ number, kind, outcome }) => [number, kind, outcome]),
    [[1, 'submit', null]],
  )
  assert.equal((await harness.books()).has(item.transactionId), false)
})

test('a submission without an answer remains among the attempts of a transaction that has ended', async () => {
  const item = await harness.make()
  await claimAll(harness.database.pool, 'MOMOCM', 5, 100)
  await transition(harness.database.pool, [{ ...item, event: 'failed', message: 'Refused', actor: SYSTEM_ACTOR }])
  assert.equal(await harness.workOf(item), undefined)
  assert.deepEqual(await harness.attemptsOf(item), ['submit null'])
})

test('one execution, after two denials, for a submission whose process died before its call', async () => {
  const item = await harness.make()
  await claimAll(harness.database.pool, 'MOMOCM', 5, 1)
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  const attempts = await harness.attemptsOf(item)
  assert.deepEqual(attempts.slice(0, 4), ['submit interrupted', 'query not_found', 'query not_found', 'submit accepted'])
  await harness.compareBooks()
})

test('no second submission for a transfer whose process died after its call', async () => {
  const item = await harness.make()
  await claimAll(harness.database.pool, 'MOMOCM', 5, 1)
  const { applicationId, operator, type, amountMinor, phoneNumber, customerName } = item
  await harness.connectors
    .get('MOMOCM')
    ?.submit(
      { reference: item.transactionId, applicationId, operator, type, amountMinor, currency: 'XAF', phoneNumber, customerName },
      keepNothing,
    )
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  assert.equal((await harness.attemptsOf(item))[0], 'submit interrupted')
  assert.equal((await harness.books()).get(item.transactionId)?.submissions, 1)
  await harness.compareBooks()
})

test('unconfirmed until the operator reports that it has the transfer', async () => {
  const item = await harness.make({ phoneNumber: '237677209912' })
  await claimAll(harness.database.pool, 'MOMOCM', 5, 1)
  await waitUntil('the lease ends', async () =>
    (await claimAll(harness.database.pool, 'MOMOCM', 5, 1)).some((work) => work.foundState === 'submitting'),
  )
  const work = await harness.workOf(item)
  assert.equal(work?.['state'], 'unconfirmed')
  assert.ok(work?.['unconfirmed_since'] instanceof Date)
  harness.startDispatcher()
  await waitUntil('the operator accepts', async () => (await harness.workOf(item))?.['state'] === 'submitted')
  await stopAll()
  assert.equal((await harness.workOf(item))?.['unconfirmed_since'], null)
})

test('no submission by a process that was stopped between its claim and its call', async () => {
  const item = await harness.make()
  // No call may be written later than the lease less the time for its answer, a second: here that is immediately.
  harness.startDispatcher({ leaseMs: 300 })
  await waitUntil('the row comes back', async () => Number((await harness.workOf(item))?.['attempts']) > 1)
  await stopAll()
  assert.equal((await harness.attemptsOf(item))[0], 'submit not_sent')
  assert.equal((await harness.workOf(item))?.['unconfirmed_since'], null, 'what was not sent is not at risk')
  assert.equal((await harness.books()).has(item.transactionId), false)
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await stopAll()
  await harness.compareBooks()
})

test('no effect of the late failure of a submission that was taken over', async () => {
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const answer = Promise.withResolvers<SubmitOutcome>()
  let query: QueryOutcome = { kind: 'pending', exchange }
  const connectors = connectorsWith(harness, {
    terms: { ...terms, submitTimeoutMs: 100 },
    submit: () => answer.promise,
    query: async () => query,
  })
  const dispatcher = harness.startDispatcher({ connectors, leaseMs: 900 })
  const item = await harness.make({ operator: 'OMCM' })
  await waitUntil('it is taken over', async () => (await harness.attemptsOf(item)).includes('query pending'))
  answer.resolve({ kind: 'failed', reason: 'Compte non inscrit', exchange })
  await waitUntil('the late answer is recorded', async () => (await harness.attemptsOf(item)).includes('submit failed'))
  const queries = async () => (await harness.attemptsOf(item)).filter((attempt) => attempt === 'query pending').length
  const before = await queries()
  await waitUntil('it is queried again', async () => (await queries()) > before)
  assert.equal((await harness.read(item)).status, 'PENDING')
  query = { kind: 'succeeded', exchange }
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await dispatcher.drain()
})

test('two denials 3 s apart are believed, and 60 s apart of what the operator had accepted', async () => {
  const { pool } = harness.database
  const connectors = connectorsWith(harness, { query: async () => ({ kind: 'not_found', exchange }) })
  const places: [columns: string, item: IntakeItem][] = []
  for (const columns of [
    "state = 'unconfirmed'",
    "state = 'submitted', accepted_at = now(), absent_since = now() - interval '30 seconds'",
    "state = 'submitted', accepted_at = now(), absent_since = now() - interval '90 seconds'",
  ])
    places.push([columns, await harness.make({ operator: 'OMCM' })])
  for (const [columns, { transactionId }] of places)
    await pool.query(`update operator_work set submissions = 1, attempts = 1, next_at = now(), ${columns} where transaction_id = $1`, [
      transactionId,
    ])
  const rules = { absenceMs: undefined, acceptedAbsenceMs: undefined, pollDelaysMs: [3_600_000] }
  const dispatcher = harness.startDispatcher({ connectors, ...rules })
  for (const [, item] of places)
    await waitUntil('the denial is stored', async () => Number((await harness.workOf(item))?.['queries']) === 1)
  await dispatcher.drain()
  const [first, early, late] = await Promise.all(places.map(([, item]) => harness.workOf(item)))
  assert.equal(Number(first?.['next_at']) - Number(first?.['absent_since']), 3_000)
  assert.deepEqual([early?.['state'], late?.['state']], ['submitted', 'unconfirmed'])
})
