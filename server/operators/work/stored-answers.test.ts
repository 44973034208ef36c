import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { readWork } from '../testing/read-work.ts'
import { addTwin } from '../testing/twin.ts'
import { storeAnswers, storeForcedEnquiries } from './operator-work-store.ts'

/** Minutes apart, so that each pause is told from every other. */
const RULES = { absenceMs: 2 * 60_000, acceptedAbsenceMs: 30 * 60_000, hintGapMs: 4 * 60_000 }
const DELAY_MS = 10 * 60_000
const REQUEUE_MS = 7 * 60_000

let database: TestDatabase
let applicationId = ''
let otherApplicationId = ''
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  otherApplicationId = await makeApplication(database.pool)
})
after(() => database.drop())

type Key = { applicationId: string; transactionId: string }

/** In its first submission, claimed, and due in an hour, unless the columns say otherwise. `run`: what people did with its batch. */
async function make(columns: string, { run, attempts = [] }: { run?: string; attempts?: string[] } = {}): Promise<Key> {
  const batchId = randomUUID()
  const item = anIntakeItem(applicationId, { type: 'COLLECT', batchId })
  await takeIn(database.pool, [item])
  if (run)
    await database.pool.query('insert into batch_runs (application_id, batch_id, state, changed_by) values ($1, $2, $3, $2)', [
      applicationId,
      batchId,
      run,
    ])
  const usual = `state = 'submitting', next_at = now() + interval '1 hour', claimed_at = now(), is_claimed = true, submissions = 1, attempts = 9, queries = 3`
  for (const changes of [usual, columns].filter(Boolean))
    await database.pool.query(`update operator_work set ${changes} where transaction_id = $1`, [item.transactionId])
  for (const [number, attempt] of attempts.entries()) {
    const [kind, outcome, isVerified] = attempt.split(' ')
    await database.pool.query(
      `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, outcome, is_verified) values ($1, $2, $3, $4, now(), $5, $6)`,
      [applicationId, item.transactionId, number + 1, kind, outcome, isVerified ? isVerified === 'signed' : null],
    )
  }
  return item
}

async function answer(
  { applicationId, transactionId }: Key,
  kind: 'submit' | 'query',
  said: string,
  submission = 1,
  delayMs = DELAY_MS,
): Promise<boolean> {
  const [outcome = '', detail] = said.split(' ')
  const current = await storeAnswers(
    database.pool,
    [
      {
        item_index: 0,
        application_id: applicationId,
        transaction_id: transactionId,
        number: 9,
        kind,
        submission,
        outcome,
        http_status: 200,
        answer: 'said',
        duration_ms: 1,
        delay_ms: delayMs,
        requeue_ms: REQUEUE_MS,
        operator_reference: null,
        operator_reference_other: null,
        operator_token: null,
        reason: detail === 'refused' || outcome === 'failed' ? 'No' : null,
        operator_code: null,
        is_mismatch: detail === 'mismatch',
      },
    ],
    RULES,
  )
  return current.has(0)
}

/** The state, in how many minutes it is due, what is known of it, the queries made, and whether it is still claimed. */
async function describe(key: Key): Promise<string> {
  const work = (await readWork(database.pool, key)) ?? assert.fail()
  const nextAt = work['next_at']
  const minutes = nextAt instanceof Date ? `${Math.round((nextAt.getTime() - Date.now()) / 60_000)} min` : 'never'
  const facts = ['accepted_at', 'unconfirmed_since', 'absent_since'].filter((fact) => work[fact]).map((fact) => fact.split('_')[0])
  const result = work['result'] ? `result=${work['result']}` : ''
  return [work['state'], minutes.replace('-0', '0'), ...facts, result, `q${work['queries']}`, work['is_claimed'] ? 'claimed' : '']
    .filter(Boolean)
    .join(' ')
}

const OPEN = "state = 'submitted', accepted_at = now()"
const DOUBTFUL = "state = 'unconfirmed', unconfirmed_since = now()"
const ABSENT = (minutes: number) => `absent_since = now() - interval '${minutes} minutes'`
type Case = [
  columns: string,
  kind: 'submit' | 'query',
  said: string,
  to: string,
  more?: { run?: string; attempts?: string[]; delayMs?: number },
]

const CASES: Case[] = [
  // Answers to a submission.
  ['', 'submit', 'accepted', 'submitted 10 min accepted q3'],
  ['', 'submit', 'unknown', 'unconfirmed 10 min unconfirmed q3'],
  ['', 'submit', 'unknown refused', 'unconfirmed 10 min unconfirmed result=refused q3'],
  ['', 'submit', 'not_sent', 'queued 10 min q3'],
  ['', 'submit', 'succeeded', 'submitting 60 min result=succeeded q3 claimed'],
  ['', 'submit', 'failed', 'submitting 60 min result=failed q3 claimed'],
  // The time that the claim set is kept if it fits.
  ["next_at = now() + interval '8 minutes'", 'submit', 'accepted', 'submitted 8 min accepted q3'],
  ["next_at = now() + interval '11 minutes'", 'submit', 'accepted', 'submitted 11 min accepted q3'],
  ["next_at = now() + interval '6 minutes'", 'submit', 'accepted', 'submitted 10 min accepted q3'],
  ["next_at = now() + interval '13 minutes'", 'submit', 'accepted', 'submitted 10 min accepted q3'],
  ["next_at = now() + interval '8 minutes'", 'submit', 'unknown', 'unconfirmed 10 min unconfirmed q3'],
  // A callback came meanwhile.
  ["next_at = now() + interval '8 minutes', hinted_at = now()", 'submit', 'accepted', 'submitted 4 min accepted q3'],
  // The operator's own pause; what was not sent waits for no query.
  ["enquire_at = now() + interval '20 minutes'", 'submit', 'accepted', 'submitted 20 min accepted q3'],
  [
    "enquire_at = now() + interval '20 minutes', next_at = now() + interval '8 minutes'",
    'submit',
    'accepted',
    'submitted 20 min accepted q3',
  ],
  ["enquire_at = now() + interval '20 minutes'", 'submit', 'not_sent', 'queued 10 min q3'],
  [
    "enquire_at = now() + interval '20 minutes', hinted_at = now(), accepted_at = now()",
    'submit',
    'accepted',
    'submitted 4 min accepted q3',
  ],
  // It was accepted before, so it is not sent again.
  ['accepted_at = now()', 'submit', 'not_sent', 'unconfirmed 10 min accepted unconfirmed q3'],
  ['', 'submit', 'not_sent', 'unconfirmed 10 min accepted unconfirmed q3', { attempts: ['submit accepted'] }],
  ['', 'submit', 'not_sent', 'unconfirmed 10 min accepted unconfirmed q3', { attempts: ['query pending'] }],
  ['', 'submit', 'not_sent', 'unconfirmed 10 min accepted unconfirmed q3', { attempts: ['callback pending signed'] }],
  [
    '',
    'submit',
    'not_sent',
    'queued 10 min q3',
    { attempts: ['callback succeeded unsigned', 'submit not_sent', 'query not_found', 'query unknown'] },
  ],
  // People paused or stopped its batch.
  ['', 'submit', 'not_sent', 'paused never q3', { run: 'paused' }],
  ['', 'submit', 'not_sent', 'paused never q3', { run: 'stopped' }],
  ['', 'submit', 'not_sent', 'queued 10 min q3', { run: 'running' }],
  ['submissions = 2', 'submit', 'not_sent', 'unconfirmed 10 min q3', { run: 'stopped' }],
  ['submissions = 2', 'submit', 'not_sent', 'paused never q3', { run: 'stopped', attempts: ['submit not_sent'] }],
  ['', 'submit', 'accepted', 'submitted 10 min accepted q3', { run: 'stopped' }],
  ['', 'submit', 'unknown', 'unconfirmed 10 min unconfirmed q3', { run: 'paused' }],
  // Answers to a query.
  [OPEN, 'query', 'pending', 'submitted 10 min accepted q4'],
  [OPEN, 'query', 'unknown', 'submitted 10 min accepted q4'],
  [OPEN, 'query', 'unknown mismatch', 'submitted 10 min accepted unconfirmed q4'],
  [DOUBTFUL, 'query', 'pending', 'submitted 10 min accepted q4'],
  [DOUBTFUL, 'query', 'unknown', 'unconfirmed 10 min unconfirmed q4'],
  [`${DOUBTFUL}, ${ABSENT(1)}`, 'query', 'unknown', 'unconfirmed 10 min unconfirmed absent q4'],
  [`${DOUBTFUL}, ${ABSENT(1)}`, 'query', 'pending', 'submitted 10 min accepted q4'],
  // A callback came meanwhile: after its pause, which grows with the unsigned ones, and no later than without it.
  [`${DOUBTFUL}, hinted_at = now()`, 'query', 'unknown', 'unconfirmed 4 min unconfirmed q4'],
  [`${DOUBTFUL}, hinted_at = now(), hints = 10`, 'query', 'unknown', 'unconfirmed 9 min unconfirmed q4'],
  [`${DOUBTFUL}, hinted_at = now()`, 'query', 'unknown', 'unconfirmed 3 min unconfirmed q4', { delayMs: 3 * 60_000 }],
  // A first denial; the second one after the pause sends it again.
  [DOUBTFUL, 'query', 'not_found', 'unconfirmed 2 min unconfirmed absent q4'],
  [`${DOUBTFUL}, ${ABSENT(1)}`, 'query', 'not_found', 'unconfirmed 2 min unconfirmed absent q4'],
  [`${DOUBTFUL}, ${ABSENT(3)}`, 'query', 'not_found', 'queued 7 min unconfirmed q0'],
  [`${DOUBTFUL}, ${ABSENT(3)}`, 'query', 'not_found', 'paused never unconfirmed q0', { run: 'paused' }],
  // Before the operator's own pause is over a denial is no denial.
  [`${DOUBTFUL}, enquire_at = now() + interval '20 minutes'`, 'query', 'not_found', 'unconfirmed 20 min unconfirmed q4'],
  // One that was accepted is never sent again.
  [OPEN, 'query', 'not_found', 'submitted 10 min accepted unconfirmed absent q4'],
  [`${OPEN}, ${ABSENT(3)}`, 'query', 'not_found', 'submitted 10 min accepted unconfirmed absent q4'],
  [`${OPEN}, ${ABSENT(31)}`, 'query', 'not_found', 'unconfirmed 10 min accepted unconfirmed absent q4'],
  [
    `${DOUBTFUL}, ${ABSENT(31)}`,
    'query',
    'not_found',
    'unconfirmed 10 min accepted unconfirmed absent q4',
    { attempts: ['query pending'] },
  ],
  // In a stopped batch it is ended, after ten times the longer pause.
  [`${DOUBTFUL}, ${ABSENT(299)}`, 'query', 'not_found', 'unconfirmed 10 min unconfirmed absent q4', { run: 'stopped' }],
  [`${DOUBTFUL}, ${ABSENT(301)}`, 'query', 'not_found', 'paused never unconfirmed absent q0', { run: 'stopped' }],
  // A repeated submission was refused: that is the result, once the operator has denied it for as long.
  [`${DOUBTFUL}, result = 'refused', ${ABSENT(299)}`, 'query', 'not_found', 'unconfirmed 10 min unconfirmed absent result=refused q4'],
  [`${DOUBTFUL}, result = 'refused', ${ABSENT(301)}`, 'query', 'not_found', 'unconfirmed 0 min unconfirmed result=failed q0'],
  [
    `${DOUBTFUL}, result = 'refused', accepted_at = now(), ${ABSENT(301)}`,
    'query',
    'not_found',
    'unconfirmed 10 min accepted unconfirmed absent result=refused q4',
  ],
  // Answers of before: the row is about to be sent again.
  ["state = 'queued', is_claimed = false", 'query', 'pending', 'submitted 0 min accepted q4'],
  ["state = 'paused', is_claimed = false", 'query', 'pending', 'submitted 0 min accepted q4'],
  ["state = 'queued', is_claimed = false", 'query', 'not_found', 'queued 60 min q3'],
  ["state = 'queued', is_claimed = false", 'query', 'unknown', 'queued 60 min q3'],
  ["state = 'queued', is_claimed = false", 'submit', 'accepted', 'submitted 0 min accepted q3'],
  ["state = 'queued', is_claimed = false", 'submit', 'failed', 'submitted 0 min accepted q3'],
  ["state = 'queued', is_claimed = false", 'submit', 'unknown', 'queued 60 min q3'],
]
for (const [columns, kind, said, to, more = {}] of CASES) {
  const schedule = more.delayMs && `a query every ${more.delayMs / 60_000} min`
  const about = [columns || 'a first submission', more.run && `a ${more.run} batch`, schedule, ...(more.attempts ?? [])]
    .filter(Boolean)
    .join('; ')
  test(`${to} after ${said} to a ${kind}: ${about}`, async () => {
    const key = await make(columns, more)
    const twin = await addTwin(database.pool, key, otherApplicationId)
    const before = await readWork(database.pool, twin)
    await answer(key, kind, said, columns.includes('submissions = 2') ? 2 : 1, more.delayMs)
    assert.equal(await describe(key), to)
    assert.deepEqual(await readWork(database.pool, twin), before, 'the payment of another application has changed')
  })
}

test('an answer counts in its own submission only, and one of before proves that the operator has the transfer', async () => {
  const later = await make("state = 'submitting', submissions = 2")
  assert.equal(await answer(later, 'submit', 'unknown', 1), false)
  assert.equal(await describe(later), 'submitting 60 min q3 claimed')
  assert.equal(await answer(later, 'submit', 'accepted', 1), false)
  assert.equal(await describe(later), 'submitting 60 min accepted q3 claimed')
  assert.equal(await answer(await make("state = 'submitted', accepted_at = now()"), 'submit', 'accepted'), false)
  assert.equal(await answer(await make(''), 'submit', 'accepted'), true)
  assert.equal(await answer(await make(''), 'query', 'pending'), false)
  for (const state of ['submitted', 'unconfirmed', 'queued', 'paused'])
    assert.equal(await answer(await make(`state = '${state}'`), 'query', 'unknown'), true, state)
})

test('times of before are kept: accepted, unconfirmed and denied since the first such answer', async () => {
  const since = new Date('2026-01-01')
  const columns = ['accepted_at', 'unconfirmed_since', 'absent_since'] as const
  const key = await make(`state = 'submitted', ${columns.map((column) => `${column} = '2026-01-01'`).join(', ')}`)
  await answer(key, 'query', 'not_found')
  const work = await readWork(database.pool, key)
  assert.deepEqual(
    columns.map((column) => work?.[column]),
    [since, since, since],
  )
})

for (const [columns, outcome, needsQuery, to] of [
  [OPEN, 'pending', false, 'submitted 60 min accepted q3 claimed'],
  [`${OPEN}, is_claimed = false`, 'unknown', false, 'submitted 60 min accepted q3'],
  [`${DOUBTFUL}, is_claimed = false`, 'pending', true, 'unconfirmed 0 min accepted unconfirmed q3'],
  [`${DOUBTFUL}, is_claimed = false`, 'not_found', true, 'unconfirmed 0 min unconfirmed q3'],
  [`${DOUBTFUL}, is_claimed = false`, 'not_found', false, 'unconfirmed 60 min unconfirmed q3'],
  [DOUBTFUL, 'not_found', true, 'unconfirmed 60 min unconfirmed q3 claimed'],
  ["state = 'queued', is_claimed = false", 'pending', false, 'submitted 0 min accepted q3'],
  ["state = 'queued', is_claimed = false", 'succeeded', false, 'submitted 0 min accepted q3'],
  ["state = 'queued', is_claimed = false", 'failed', false, 'submitted 0 min accepted q3'],
  ["state = 'paused', is_claimed = false", 'pending', false, 'submitted 0 min accepted q3'],
  ["state = 'queued', is_claimed = false", 'not_found', true, 'queued 60 min q3'],
  ["state = 'queued', is_claimed = false", 'unknown', false, 'queued 60 min q3'],
  ['', 'pending', false, 'submitting 60 min accepted q3 claimed'],
] as const) {
  test(`${to} after a forced enquiry is answered with ${outcome}${needsQuery ? ' and wants another one' : ''}: ${columns || 'a first submission'}`, async () => {
    const key = await make(columns)
    const twin = await addTwin(database.pool, key, otherApplicationId)
    const before = await readWork(database.pool, twin)
    await storeForcedEnquiries(database.pool, [{ ...key, number: 4, outcome, httpStatus: 200, answer: 'said', durationMs: 1, needsQuery }])
    assert.equal(await describe(key), to)
    assert.deepEqual(await readWork(database.pool, twin), before, 'the payment of another application has changed')
  })
}
