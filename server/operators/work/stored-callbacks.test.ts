import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { readAttempts, readWork } from '../testing/read-work.ts'
import { addTwin } from '../testing/twin.ts'
import { storeCallbacks } from './operator-work-store.ts'

const GAP_MS = 250
let database: TestDatabase
let applicationId = ''
let otherApplicationId = ''
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  otherApplicationId = await makeApplication(database.pool)
})
after(() => database.drop())

/** Due in a day, claimed an hour ago and answered, unless the columns say otherwise. */
async function make(columns: string): Promise<{ applicationId: string; transactionId: string }> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  const usual = "next_at = now() + interval '1 day', claimed_at = now() - interval '1 hour', submissions = 1, attempts = 1"
  for (const changes of [usual, columns])
    await database.pool.query(`update operator_work set ${changes} where transaction_id = $1`, [item.transactionId])
  return item
}

type Key = { applicationId: string; transactionId: string }

async function send(
  { applicationId, transactionId }: Key,
  isVerified: boolean,
  operator: 'MOMOCM' | 'OMCM' = 'MOMOCM',
  queryable: Queryable = database.pool,
): Promise<string> {
  const row = { item_index: 0, application_id: applicationId, transaction_id: transactionId, operator, outcome: 'succeeded', answer: 'x' }
  const [effect] = await storeCallbacks(queryable, [{ ...row, is_verified: isVerified }], GAP_MS)
  return effect ?? assert.fail()
}

/** `state`, when it is due, and what is known: `hinted`, `accepted`, `unconfirmed`, and the number of unsigned callbacks. */
async function describe(key: Key): Promise<string> {
  const work = (await readWork(database.pool, key)) ?? assert.fail()
  const nextAt = work['next_at']
  assert.ok(nextAt instanceof Date || nextAt === Number.POSITIVE_INFINITY)
  const seconds = (Number(nextAt) - Date.now()) / 1_000
  const due = seconds > 80_000 ? 'tomorrow' : seconds > 5 ? `in ${Math.round(seconds / 600) * 10} minutes` : 'due'
  const facts = ['hinted', 'accepted', 'unconfirmed'].filter((fact) => work[`${fact}_at`] || work[`${fact}_since`])
  return [work['state'], due, ...facts, work['hints']].join(' ')
}

const HINTED = 'hinted_at = now()'
const CALLBACKS: [columns: string, isVerified: boolean, effect: string, to: string, isStored: boolean][] = [
  ["state = 'submitting'", true, 'taken', 'submitting due hinted accepted 0', true],
  ["state = 'submitting'", false, 'taken', 'submitting due hinted 1', true],
  ["state = 'submitted'", true, 'taken', 'submitted due hinted accepted 0', true],
  ["state = 'submitted'", false, 'taken', 'submitted due hinted 1', true],
  ["state = 'unconfirmed'", true, 'taken', 'unconfirmed due hinted accepted 0', true],
  ["state = 'unconfirmed'", false, 'taken', 'unconfirmed due hinted 1', true],
  // About to be sent again: a signature proves that the operator has it, and it is queried instead.
  ["state = 'queued'", true, 'taken', 'unconfirmed due hinted accepted unconfirmed 0', true],
  ["state = 'paused'", true, 'taken', 'unconfirmed due hinted accepted unconfirmed 0', true],
  ["state = 'queued'", false, 'idle', 'queued tomorrow 0', false],
  ["state = 'paused'", false, 'idle', 'paused tomorrow 0', false],
  // Never sent.
  ["state = 'queued', submissions = 0", true, 'idle', 'queued tomorrow 0', false],
  ["state = 'paused', submissions = 0", true, 'idle', 'paused tomorrow 0', false],
  ["state = 'unfunded'", true, 'idle', 'unfunded tomorrow 0', false],
  ["state = 'awaiting_code'", true, 'idle', 'awaiting_code tomorrow 0', false],
  // One that waits for its query is enough, except that a signed one counts beside unsigned ones.
  [`state = 'submitted', ${HINTED}`, true, 'idle', 'submitted tomorrow hinted 0', false],
  [`state = 'submitted', ${HINTED}`, false, 'idle', 'submitted tomorrow hinted 0', false],
  [`state = 'submitted', ${HINTED}, hints = 3`, false, 'idle', 'submitted tomorrow hinted 3', false],
  [`state = 'submitted', ${HINTED}, hints = 3`, true, 'taken', 'submitted due hinted accepted 0', true],
  // Of unsigned ones only the first is stored, and each is due later.
  ["state = 'submitted', hints = 1, claimed_at = now()", false, 'taken', 'submitted due hinted 2', false],
  ["state = 'submitted', hints = 12, claimed_at = now()", false, 'taken', 'submitted in 10 minutes hinted 13', false],
  ["state = 'submitted', hints = 20, claimed_at = now()", false, 'taken', 'submitted in 10 minutes hinted 20', false],
  ["state = 'submitted', hints = 12, claimed_at = now()", true, 'taken', 'submitted due hinted accepted 0', true],
  // While a call is in progress the callback is only noted.
  ["state = 'submitted', is_claimed = true", true, 'taken', 'submitted tomorrow hinted accepted 0', true],
  ["state = 'submitted', is_claimed = true", false, 'taken', 'submitted tomorrow hinted 1', true],
  // The operator's own pause, which only its signature shortens.
  ["state = 'submitted', enquire_at = now() + interval '20 minutes'", false, 'taken', 'submitted in 20 minutes hinted 1', true],
  ["state = 'submitted', enquire_at = now() + interval '20 minutes'", true, 'taken', 'submitted due hinted accepted 0', true],
  // Never later than it was due.
  ["state = 'submitted', hints = 12, claimed_at = now(), next_at = now()", false, 'taken', 'submitted due hinted 13', false],
]
for (const [columns, isVerified, effect, to, isStored] of CALLBACKS) {
  test(`${effect}, then ${to}, for a ${isVerified ? 'signed' : 'unsigned'} callback about a row with ${columns}`, async () => {
    const key = await make(columns)
    const twin = await addTwin(database.pool, key, otherApplicationId)
    const before = await readWork(database.pool, twin)
    assert.equal(await send(key, isVerified), effect)
    assert.equal(await describe(key), to)
    assert.deepEqual(await readWork(database.pool, twin), before, 'the payment of another application has changed')
    assert.deepEqual(await readAttempts(database.pool, key), isStored ? ['callback succeeded'] : [])
    const { rows } = await database.pool.query(
      'select number, is_verified from all_operator_attempts where application_id = $1 and transaction_id = $2',
      [key.applicationId, key.transactionId],
    )
    assert.deepEqual(rows, isStored ? [{ number: 2, is_verified: isVerified }] : [])
    assert.equal((await readWork(database.pool, key))?.['attempts'], isStored ? 2 : 1)
  })
}

test('what was accepted or unconfirmed before keeps its time', async () => {
  const key = await make("state = 'queued', unconfirmed_since = '2026-01-01'")
  await send(key, true)
  const open = await make("state = 'submitted', accepted_at = '2026-01-01'")
  await send(open, true)
  const times = await Promise.all([key, open].map((one) => readWork(database.pool, one)))
  assert.deepEqual([times[0]?.['unconfirmed_since'], times[1]?.['accepted_at']], [new Date('2026-01-01'), new Date('2026-01-01')])
})

test('idle for a callback of another operator or about another application', async () => {
  const key = await make("state = 'submitted'")
  assert.equal(await send(key, true, 'OMCM'), 'idle')
  assert.equal(await send({ ...key, applicationId: await makeApplication(database.pool) }, true), 'idle')
  assert.equal(await describe(key), 'submitted tomorrow 0')
})

test('busy, without waiting, while another process changes the row', async () => {
  const key = await make("state = 'submitted'")
  const [other, own] = [await database.pool.connect(), await database.pool.connect()]
  try {
    await other.query('begin')
    await other.query('select from operator_work where transaction_id = $1 for update', [key.transactionId])
    await own.query("begin; set local lock_timeout = '1s'")
    assert.equal(await send(key, true, 'MOMOCM', own), 'busy')
  } finally {
    for (const client of [other, own]) {
      await client.query('rollback')
      client.release()
    }
  }
  assert.equal(await send(key, true), 'taken')
})

test('hint_gap_ms doubles with each unsigned callback, from the least pause to ten minutes', async () => {
  const { rows } = await database.pool.query<{ gaps: number[] }>(
    'select array_agg(hint_gap_ms($1, hints) order by hints) as gaps from generate_series(0, 22) as hints',
    [3_000],
  )
  const seconds = [3, 3, 3, 4, 8, 16, 32, 64, 128, 256, 512, ...Array.from({ length: 12 }, () => 600)]
  assert.deepEqual(
    rows[0]?.gaps,
    seconds.map((each) => each * 1_000),
  )
})
