import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPool } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { claimAll, readAttempts, readWork } from '#server/operators/testing/read-work.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { createSettler, SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { createAnswerRecorder, settleFinalResult, settleQueriedResult } from './work/settle-final-result.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

function createRecorder() {
  return createAnswerRecorder({
    pool: database.pool,
    random: () => 0.5,
    pollDelaysMs: [60_000],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: 1 },
  })
}

const ACCEPTED = { kind: 'accepted', exchange: { httpStatus: 202, answer: '' } } as const

test('a submission that is in progress when its transaction ends stays among the attempts, and its late answer completes it', async () => {
  const { pool } = database
  const item = anIntakeItem(await makeApplication(pool), { type: 'COLLECT', operator: 'OMCM' })
  await takeIn(pool, [item])
  const [work] = await claimAll(pool, 'OMCM', 10, 60_000)
  assert.ok(work)
  await transition(pool, [{ ...item, event: 'succeeded', actor: SYSTEM_ACTOR }])
  assert.deepEqual(await readAttempts(pool, item), ['submit null'])
  const late = await createRecorder().submit({ work, kind: 'submit', outcome: ACCEPTED, durationMs: 1 })
  assert.deepEqual([late, await readAttempts(pool, item)], [{ isCurrent: false }, ['submit accepted']])
})

test('current and stored, each answer of a batch that PostgreSQL cancelled as the victim of a deadlock', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const items = [0, 1].map(() => anIntakeItem(applicationId, { type: 'COLLECT' }))
  await takeIn(pool, items)
  const calls = await claimAll(pool, 'MOMOCM', 10, 60_000)
  const [first, second] = items.map(({ transactionId }) => transactionId).toSorted()
  const recorder = createRecorder()
  const client = await pool.connect()
  const lock = (id: string | undefined) => client.query('select 1 from operator_work where transaction_id = $1 for update', [id])
  try {
    // PostgreSQL cancels the one that has waited longer than its deadlock_timeout, which is not this one.
    await client.query("begin; set local deadlock_timeout = '60s'")
    await lock(second)
    const recording = Promise.all(calls.map((work) => recorder.submit({ work, kind: 'submit', outcome: ACCEPTED, durationMs: 1 })))
    await waitUntil('the answers wait for a lock', async () => {
      const { rowCount } = await pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount !== 0
    })
    await lock(first)
    await client.query('commit')
    assert.deepEqual(await recording, [{ isCurrent: true }, { isCurrent: true }])
  } finally {
    await client.query('rollback')
    client.release()
  }
  for (const item of items) assert.equal((await readWork(pool, item))?.['state'], 'submitted')
})

/** A collect whose operator is being queried, and what stores the result. */
async function queried() {
  const { pool } = database
  const item = anIntakeItem(await makeApplication(pool), { type: 'COLLECT', operator: 'OMCM' })
  await takeIn(pool, [item])
  const [work] = await claimAll(pool, 'OMCM', 10, 60_000)
  assert.equal(work?.transactionId, item.transactionId)
  return { item, work, deps: { pool, settler: createSettler({ pool }), logger: createLogger('silent') } }
}
const statusOf = async (item: { applicationId: string; transactionId: string }) => {
  const { rows } = await database.pool.query('select status, message from transactions where transaction_id = $1', [item.transactionId])
  return [rows[0]?.status, rows[0]?.message]
}

test('false, with nothing stored, for the answer to a query whose text PostgreSQL refuses; its result alone is stored all the same', async () => {
  const { item, work, deps } = await queried()
  const outcome = { kind: 'failed', reason: 'No\0', exchange: { httpStatus: 200, answer: 'No' } } as const
  assert.equal(await settleQueriedResult(deps, work, outcome, 1), false)
  assert.deepEqual(await statusOf(item), ['PENDING', null])
  await settleFinalResult(deps, { ...work, source: 'query' }, outcome)
  assert.equal((await statusOf(item))[0], 'FAILED')
})

test('rejected, and not false, where the database cannot be reached: the answer is not recorded apart', async () => {
  const { work, deps } = await queried()
  const pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'ended' })
  await pool.end()
  const outcome = { kind: 'succeeded', exchange: { httpStatus: 200, answer: 'paid' } } as const
  await assert.rejects(settleQueriedResult({ ...deps, settler: createSettler({ pool }) }, work, outcome, 1))
})

for (const [what, doubt, isUnconfirmed] of [
  ['a success of another movement', { kind: 'mismatch' }, true],
  ['nothing that can be read', undefined, false],
] as const)
  test(`${isUnconfirmed ? 'listed' : 'not listed'} as unconfirmed: an accepted payment of which the operator reports ${what}`, async () => {
    const { item, work } = await queried()
    await database.pool.query("update operator_work set state = 'submitted', accepted_at = now() where transaction_id = $1", [
      item.transactionId,
    ])
    const outcome = { kind: 'unknown', detail: '', doubt, exchange: { httpStatus: 200, answer: '' } } as const
    await createRecorder().submit({ work, kind: 'query', outcome, durationMs: 1 })
    const stored = await readWork(database.pool, item)
    assert.deepEqual([stored?.['state'], stored?.['unconfirmed_since'] !== null], ['submitted', isUnconfirmed])
  })

test('the pauses of the schedule in order: the first after the submission, the next after each query', async () => {
  const { pool } = database
  const { item, work } = await queried()
  const recorder = createAnswerRecorder({
    pool,
    random: () => 0.5,
    pollDelaysMs: [600_000, 1_200_000, 2_400_000],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: 1 },
  })
  const minutes: number[] = []
  for (const [kind, queries] of [
    ['submit', 0],
    ['query', 0],
    ['query', 1],
  ] as const) {
    const outcome = { kind: kind === 'submit' ? 'accepted' : 'pending', exchange: { httpStatus: 200, answer: '' } } as const
    await recorder.submit({ work: { ...work, queries }, kind, outcome, durationMs: 1 })
    const dueMs = Number((await readWork(pool, item))?.['next_at']) - Date.now()
    minutes.push(Math.round(dueMs / 600_000) * 10)
  }
  assert.deepEqual(minutes, [10, 20, 40])
})
