import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { readAttempts, readWork } from '#server/operators/testing/read-work.ts'
import { addTwin } from '#server/operators/testing/twin.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { type ClaimedWork, claimWork, type FreeSlots } from '../operator-work-store.ts'

/** Minutes apart, so that each pause is told from every other. */
const MINUTE_MS = 60_000
const LEASE_MS = 5 * MINUTE_MS
const FIRST_QUERY_MS = 8 * MINUTE_MS
const ENQUIRY_MS = 3 * MINUTE_MS

let database: TestDatabase
let applicationId = ''
let otherApplicationId = ''
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  otherApplicationId = await makeApplication(database.pool)
})
beforeEach(() => database.pool.query('truncate operator_work, operator_circuits'))
after(() => database.drop())

type Key = { applicationId: string; transactionId: string }

/** Waits since a minute to be sent again, after one submission and three queries of it, unless the columns say otherwise. */
async function make(columns: string, attempts: readonly string[] = []): Promise<Key> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  const usual = `state = 'queued', submissions = 1, attempts = 4, submit_number = 1, queries = 3, route = 'before', next_at = now() - interval '1 minute',
    absent_since = now(), hinted_at = now(), claimed_at = now() - interval '20 minutes'`
  for (const changes of [usual, columns].filter(Boolean))
    await database.pool.query(`update operator_work set ${changes} where transaction_id = $1`, [item.transactionId])
  for (const [index, attempt] of attempts.entries()) {
    const [kind, outcome] = attempt.split(' ')
    await database.pool.query(
      'insert into operator_attempts (application_id, transaction_id, number, kind, started_at, outcome) values ($1, $2, $3, $4, now(), $5)',
      [applicationId, item.transactionId, index + 1, kind, outcome],
    )
  }
  return item
}

/** Another application's payment with the same id, of which the operator has nothing, and that is not due. */
async function addUnsentTwin(key: Key): Promise<void> {
  await addTwin(database.pool, key, otherApplicationId)
  await database.pool.query("update operator_work set next_at = 'infinity' where application_id = $1", [otherApplicationId])
  await database.pool.query(
    `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, outcome)
       select $1, $2, n, 'submit', now(), 'not_sent' from generate_series(10, 13) n`,
    [otherApplicationId, key.transactionId],
  )
}

const slotsOf = (lane: FreeSlots['lane'], slotsMax = 10): FreeSlots => ({
  operator: 'MOMOCM',
  lane,
  route: lane === 'begun' ? null : 'now',
  slotsMax,
  leaseMs: LEASE_MS,
  enquiryDelayMs: lane === 'begun' ? undefined : ENQUIRY_MS,
  settingsVersion: 'v1',
})

const claim = (...slots: FreeSlots[]): Promise<ClaimedWork[]> => claimWork(database.pool, slots, FIRST_QUERY_MS)

function minutesUntil(time: unknown): string {
  return time instanceof Date ? `${Math.round((time.getTime() - Date.now()) / MINUTE_MS)} min` : 'never'
}

/** The part of a row's claim that the dispatcher is told. */
function describeClaim(work: ClaimedWork | undefined): string {
  if (!work) return 'not claimed'
  const { foundState, number, submissions, queries, isRepeated, route, result } = work
  const parts = [`attempt ${number}`, `submission ${submissions}`, `q${queries}`, isRepeated ? 'repeated' : '', `route ${route}`]
  const ended =
    result && [result.kind, 'reason' in result ? `${result.reason} ${result.operatorCode}` : '', result.exchange.answer].filter(Boolean)
  return [foundState, ...parts, ...(ended ?? [])].filter(Boolean).join(', ')
}

/** The row after it: its state, when it is due and until when it is claimed, and its attempts. */
async function describeRow(key: Key): Promise<string> {
  const work = (await readWork(database.pool, key)) ?? assert.fail()
  const parts = [
    work['state'],
    minutesUntil(work['next_at']),
    work['is_claimed'] ? `claimed for ${minutesUntil(work['claimed_until'])}` : '',
    work['enquire_at'] ? `no query for ${minutesUntil(work['enquire_at'])}` : '',
    `sent by ${work['submit_number']}`,
    work['unconfirmed_since'] ? `unconfirmed ${minutesUntil(work['unconfirmed_since'])}` : '',
    work['absent_since'] ? 'absent' : '',
    work['hinted_at'] ? 'hinted' : '',
    ...(await readAttempts(database.pool, key)),
  ]
  return parts.filter(Boolean).join(', ')
}

const BEGUN = (state: string) => `state = '${state}', next_at = now() - interval '1 minute'`
const LOST = `${BEGUN('submitting')}, is_claimed = true, claimed_until = now() - interval '1 second'`
const QUERIED = 'attempt 5, submission 1, q3, route before'
type Case = [columns: string, claimed: string, to: string, attempts?: string[]]

const CASES: Case[] = [
  // To be sent: the first time, and again.
  [
    'submissions = 0, attempts = 0, submit_number = null, queries = 0, route = null, absent_since = null, hinted_at = null',
    'queued, attempt 1, submission 1, q0, route now',
    'submitting, 8 min, claimed for 5 min, no query for 3 min, sent by 1',
  ],
  ['', 'queued, attempt 5, submission 2, q3, repeated, route now', 'submitting, 8 min, claimed for 5 min, no query for 3 min, sent by 5'],
  [
    '',
    'queued, attempt 5, submission 2, q3, route now',
    'submitting, 8 min, claimed for 5 min, no query for 3 min, sent by 5, submit not_sent, query not_found',
    ['submit not_sent', 'query not_found'],
  ],
  [
    'submissions = 2',
    'queued, attempt 5, submission 3, q3, repeated, route now',
    'submitting, 8 min, claimed for 5 min, no query for 3 min, sent by 5, submit unknown, submit wrong_code',
    ['submit unknown', 'submit wrong_code'],
  ],
  ["next_at = now() + interval '2 minutes'", 'not claimed', 'queued, 2 min, sent by 1, absent, hinted'],
  ["state = 'paused', next_at = 'infinity'", 'not claimed', 'paused, never, sent by 1, absent, hinted'],
  // Its process died in the call: the outcome is not known, and the attempt is interrupted unless its answer is stored.
  [LOST, `submitting, ${QUERIED}`, 'unconfirmed, -1 min, claimed for 5 min, sent by 1, unconfirmed 0 min, absent, submit interrupted'],
  [
    `${LOST}, unconfirmed_since = now() - interval '9 minutes'`,
    `submitting, ${QUERIED}`,
    'unconfirmed, -1 min, claimed for 5 min, sent by 1, unconfirmed -9 min, absent, submit accepted',
    ['submit accepted'],
  ],
  [
    `${BEGUN('submitting')}, is_claimed = true, claimed_until = now() + interval '1 minute'`,
    'not claimed',
    'submitting, -1 min, claimed for 1 min, sent by 1, absent, hinted',
  ],
  // To be queried.
  [
    `${BEGUN('submitted')}, is_claimed = false, claimed_until = now() + interval '1 minute'`,
    `submitted, ${QUERIED}`,
    'submitted, -1 min, claimed for 5 min, sent by 1, absent',
  ],
  [
    `${BEGUN('unconfirmed')}, is_claimed = true, claimed_until = now() - interval '1 second', enquire_at = now() + interval '2 minutes'`,
    `unconfirmed, ${QUERIED}`,
    'unconfirmed, -1 min, claimed for 5 min, no query for 2 min, sent by 1, absent',
  ],
  [
    `${BEGUN('submitted')}, is_claimed = true, claimed_until = now() + interval '1 minute'`,
    'not claimed',
    'submitted, -1 min, claimed for 1 min, sent by 1, absent, hinted',
  ],
  ["state = 'submitted', next_at = now() + interval '1 minute'", 'not claimed', 'submitted, 1 min, sent by 1, absent, hinted'],
  // Ended without a call.
  [BEGUN('unfunded'), 'unfunded, attempt 4, submission 1, q3, route before', 'unfunded, -1 min, claimed for 5 min, sent by 1, absent'],
  // Of what waited for a code, the only submission has sent nothing; of two, one may have.
  [BEGUN('awaiting_code'), `awaiting_code, ${QUERIED}`, 'awaiting_code, -1 min, claimed for 5 min, sent by 1, absent'],
  [
    `${BEGUN('awaiting_code')}, submissions = 2`,
    'awaiting_code, attempt 5, submission 2, q3, repeated, route before',
    'awaiting_code, -1 min, claimed for 5 min, sent by 1, absent, submit not_sent',
    ['submit not_sent'],
  ],
  [
    `${BEGUN('awaiting_code')}, submissions = 2`,
    'awaiting_code, attempt 5, submission 2, q3, route before',
    'awaiting_code, -1 min, claimed for 5 min, sent by 1, absent, submit not_sent, submit wrong_code',
    ['submit not_sent', 'submit wrong_code'],
  ],
  // The stored result of a submission is settled without a query, but not a refusal of what the operator has after all.
  [
    `${LOST}, result = 'succeeded', last_answer = 'paid'`,
    `submitting, ${QUERIED}, succeeded, paid`,
    'unconfirmed, -1 min, claimed for 5 min, sent by 1, unconfirmed 0 min, absent, submit succeeded',
    ['submit succeeded'],
  ],
  [
    `${LOST}, result = 'failed', result_reason = 'No', result_code = 'X1', last_answer = 'refused'`,
    `submitting, ${QUERIED}, failed, No X1, refused`,
    'unconfirmed, -1 min, claimed for 5 min, sent by 1, unconfirmed 0 min, absent, submit failed',
    ['submit failed'],
  ],
  [
    `${LOST}, result = 'failed', result_reason = 'No', result_code = 'X1', accepted_at = now()`,
    `submitting, ${QUERIED}`,
    'unconfirmed, -1 min, claimed for 5 min, sent by 1, unconfirmed 0 min, absent, submit failed',
    ['submit failed'],
  ],
  [
    `${LOST}, result = 'succeeded', accepted_at = now(), last_answer = 'paid'`,
    `submitting, ${QUERIED}, succeeded, paid`,
    'unconfirmed, -1 min, claimed for 5 min, sent by 1, unconfirmed 0 min, absent, submit succeeded',
    ['submit succeeded'],
  ],
]
for (const [columns, claimed, to, attempts = []] of CASES) {
  test(`${claimed}, and then ${to}: ${[columns || 'about to be sent again', ...attempts].join('; ')}`, async () => {
    const key = await make(columns, attempts)
    await addUnsentTwin(key)
    const all = await claim(slotsOf('COLLECT'), slotsOf('DEPOSIT'), slotsOf('begun'))
    assert.equal(describeClaim(all[0]), claimed)
    assert.equal(await describeRow(key), to)
  })
}

test('claimed in its own lane of its own operator only, the rows that are due longest first, and no more than there are slots', async () => {
  const minutes = [2, 4, 1, 3]
  const ages = new Map<string, string>()
  for (const state of ['queued', 'submitted'])
    for (const age of minutes) {
      const { transactionId } = await make(`state = '${state}', next_at = now() - interval '${age} minutes'`)
      ages.set(transactionId, `${state} ${age}`)
    }
  const claimed = async (...slots: FreeSlots[]) => (await claim(...slots)).map(({ transactionId }) => ages.get(transactionId)).sort()
  assert.deepEqual(
    await claimed(slotsOf('DEPOSIT'), { ...slotsOf('COLLECT'), operator: 'OMCM' }, { ...slotsOf('begun'), operator: 'OMCM' }),
    [],
  )
  assert.deepEqual(await claimed(slotsOf('COLLECT', 2)), ['queued 3', 'queued 4'])
  assert.deepEqual(await claimed(slotsOf('begun', 3)), ['submitted 2', 'submitted 3', 'submitted 4'])
  assert.deepEqual(await claimed(slotsOf('COLLECT', 3), slotsOf('begun', 3)), ['queued 1', 'queued 2', 'submitted 1'])
})

const CIRCUITS: [isClaimed: boolean, operator: string, type: string, fault: string | null, version: string | null][] = [
  [false, 'MOMOCM', 'COLLECT', 'Wrong key', 'v1'],
  [true, 'MOMOCM', 'COLLECT', 'Wrong key', 'v0'],
  [true, 'MOMOCM', 'COLLECT', null, 'v1'],
  [true, 'MOMOCM', 'DEPOSIT', 'Wrong key', 'v1'],
  [true, 'OMCM', 'COLLECT', 'Wrong key', 'v1'],
]
for (const [isClaimed, operator, type, fault, version] of CIRCUITS) {
  test(`${isClaimed ? 'claimed' : 'not claimed'} to be sent as a collect through settings v1: ${operator} ${type} was closed for ${fault ?? 'no fault'} of ${version}`, async () => {
    await make('')
    const started = await make(BEGUN('submitted'))
    await database.pool.query('insert into operator_circuits values ($1, $2, $3, now(), $4, $5)', [
      operator,
      type,
      'CLOSED',
      fault,
      version,
    ])
    const states = (await claim(slotsOf('COLLECT'), slotsOf('begun'))).map(({ foundState }) => foundState)
    assert.deepEqual(states.sort(), isClaimed ? ['queued', 'submitted'] : ['submitted'])
    assert.equal((await describeRow(started)).startsWith('submitted, -1 min, claimed'), true)
  })
}

test('an interrupted attempt has lasted from the claim of its call to the claim that found it', async () => {
  const { transactionId } = await make(LOST)
  await claim(slotsOf('begun'))
  const { rows } = await database.pool.query(
    `select number, round(extract(epoch from finished_at - started_at) / 60)::integer as minutes from all_operator_attempts where transaction_id = $1`,
    [transactionId],
  )
  assert.deepEqual(rows, [{ number: 1, minutes: 20 }])
})

test('what the call needs of the transaction is its own, and the lease of the process ends no later than that of the row', async () => {
  const amounts = [100_000n, 200_000n, 300_000n]
  for (const amountMinor of amounts)
    await takeIn(database.pool, [anIntakeItem(applicationId, { type: 'COLLECT', amountMinor, phoneNumber: `23767${amountMinor}1` })])
  const before = performance.now()
  const claimed = await claim(slotsOf('COLLECT'))
  assert.deepEqual(claimed.map(({ phoneNumber, amountMinor }) => phoneNumber === `23767${amountMinor}1` && amountMinor).sort(), amounts)
  for (const { leaseEndsAtMs } of claimed) assert.ok(leaseEndsAtMs >= before + LEASE_MS && leaseEndsAtMs <= performance.now() + LEASE_MS)
})
