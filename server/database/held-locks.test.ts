import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { lockChain } from '#server/audit/audit-store.ts'
import { lockBatch, lockContent } from '#server/batches/batch-store.ts'
import { lockChange } from '#server/changes/change-store.ts'
import { postAdjustment } from '#server/ledger/adjustments.ts'
import { postFunding } from '#server/ledger/fundings.ts'
import { lockWork } from '#server/operators/batch-run/batch-run-store.ts'
import { lockAllSettings } from '#server/operators/settings/operator-settings-store.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { lockApiUser, lockOwnerOf } from '#server/partner-auth/token-store.ts'
import { lockActiveMember } from '#server/people/person-store.ts'
import { lockTimeZone } from '#server/reports/business-days/day-zone-store.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { lockRecovery } from '#server/webhooks/resend-store.ts'
import { lockApplication, lockCounters } from './application-locks.ts'
import type { TrxClient } from './pool.ts'

let database: TestDatabase
let applicationId = ''
let personId = ''
let batchId = ''
let open: IntakeItem
const [CHANGE, API_USER, RECOVERY] = [randomUUID(), randomUUID(), randomUUID()]
const HASH = Buffer.alloc(32)
before(async () => {
  database = await createTestDatabase()
  const { pool } = database
  applicationId = await makeApplication(pool)
  personId = await makePerson(pool, applicationId, ['finance'])
  await fund(pool, applicationId, 'MOMOCM', 10_000_000n)
  const made = await makeFileBatch(pool, { applicationId, makerId: personId, count: 1, change: () => ({ bands: null, type: 'COLLECT' }) })
  batchId = made.batchId
  open = made.items[0] ?? assert.fail()
  const ended = [anIntakeItem(applicationId, { type: 'COLLECT' }), anIntakeItem(applicationId, { type: 'COLLECT' })]
  await takeIn(pool, ended)
  await transition(
    pool,
    ended.map((item, index) => ({
      ...item,
      event: index === 0 ? 'succeeded' : 'failed',
      message: 'x',
      actor: { kind: 'operator', id: null },
    })),
  )
  await pool.query("select begin_day_zone($1, 'Africa/Kampala')", [applicationId])
  await pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
       values ($1, $2, 'x', 'x', '{}', '{}', '{}', $3, now() + interval '1 day')`,
    [applicationId, CHANGE, personId],
  )
  await pool.query("insert into api_users (application_id, api_user_id, username, password_hash) values ($1, $2, 'x', 'x')", [
    applicationId,
    API_USER,
  ])
  await pool.query(
    `insert into webhook_recoveries (application_id, recovery_id, since, until, includes_delivered, requested_by, counted, cursor_at, cursor_id)
       values ($1, $2, now() - interval '1 day', now(), false, $3, 1, now(), $2)`,
    [applicationId, RECOVERY, personId],
  )
})
after(() => database.drop())

type Take = (trx: TrxClient) => Promise<unknown>

/** Runs both at the same time, each in a transaction; returns the error code of the second one while the first still holds what it took. */
async function second(first: Take, then: Take): Promise<unknown> {
  const [holder, other] = [await database.pool.connect(), await database.pool.connect()]
  try {
    await holder.query('begin')
    await first(holder)
    await other.query("begin; set local lock_timeout = '60ms'")
    return await then(other).then(
      () => 'not blocked',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    )
  } finally {
    for (const client of [holder, other]) {
      await client.query('rollback')
      client.release()
    }
  }
}

const BLOCKED = '55P03'
const call =
  (statement: string, ...values: unknown[]): Take =>
  (trx) =>
    trx.query(statement, values.length > 0 ? values : [applicationId])
const seal = 'select from ledger_seal for update'
const counters = 'select from application_counters where application_id = $1 for no key update'

/** Both are refused, because the balances do not cover them: what they read must be what the holder of the lock has left. */
const subjectId = randomUUID()
const ofBalance = { operator: 'SNOM', amountMinor: 1n, reason: 'x' } as const
const adjust: Take = (trx) =>
  postAdjustment(trx, {
    ...{ ...ofBalance, applicationId, subjectId, kind: 'fees_out', currency: 'XOF', type: 'COLLECT', feeSystemMinor: 0n, feeAppMinor: 0n },
    ...{ actorId: personId, change: { applicationId, changeId: subjectId } },
  })
const withdraw: Take = (trx) =>
  postFunding(trx, { ...ofBalance, applicationId, kind: 'withdraw', account: 'collect', fundingId: subjectId, actorId: personId })

/** Each lock with the step that takes it and the step that waits for its end: the same step if none is named. */
const EXCLUSIVE: [name: string, take: Take, then?: Take][] = [
  ['lockApplication', (trx) => lockApplication(trx, applicationId)],
  ['lockCounters', (trx) => lockCounters(trx, applicationId)],
  ['lockChain', (trx) => lockChain(trx, applicationId)],
  ['lockBatch', (trx) => lockBatch(trx, applicationId, batchId)],
  ['lockContent', (trx) => lockContent(trx, applicationId, HASH)],
  ['lockChange', (trx) => lockChange(trx, applicationId, CHANGE)],
  ['lockApiUser', (trx) => lockApiUser(trx, applicationId, API_USER)],
  ['lockTimeZone', (trx) => lockTimeZone(trx, applicationId)],
  ['lockAllSettings', lockAllSettings],
  ['lockWork', (trx) => lockWork(trx, applicationId, batchId)],
  [
    'lockWork, beside a claim',
    (trx) => lockWork(trx, applicationId, batchId),
    call('update operator_work set attempts = attempts where application_id = $1'),
  ],
  [
    'lockActiveMember, beside a change of the role',
    (trx) => lockActiveMember(trx, applicationId, personId),
    call("update memberships set roles = '{maker}' where application_id = $1"),
  ],
  [
    'lockActiveMember, beside the block of the person',
    (trx) => lockActiveMember(trx, applicationId, personId),
    (trx) => trx.query('update people set is_blocked = true where person_id = $1', [personId]),
  ],
  [
    'a move of a transaction',
    (trx) => transition(trx, [{ ...open, event: 'failed', message: 'x', actor: SYSTEM_ACTOR }]),
    (trx) => lockCounters(trx, applicationId),
  ],
  [
    'the lock of the counters, beside a move',
    (trx) => lockCounters(trx, applicationId),
    (trx) => transition(trx, [{ ...open, event: 'failed', message: 'x', actor: SYSTEM_ACTOR }]),
  ],
  [
    'the lock of the counters, beside an intake',
    (trx) => lockCounters(trx, applicationId),
    (trx) => takeIn(trx, [anIntakeItem(applicationId)]),
  ],
  ['the lock of the counters, beside an adjustment', call(counters), adjust],
  ['the lock of the counters, beside a funding', call(counters), withdraw],
  ['the lock of the counters, beside the count of a zone', call(counters), call("select begin_day_zone($1, 'Africa/Douala')")],
  ['the lock of the counters, beside the count of older days', call(counters), call("select count_day_edges($1, 'Africa/Kampala', 5)")],
  [
    'the seal of the ledger',
    call(seal.replace(' for', ' where $1::uuid is not null for')),
    call('select seal_ledger_days($1::interval)', '0'),
  ],
  [
    'the seal of the ledger, beside the count of a zone',
    call(seal.replace(' for', ' where $1::uuid is not null for')),
    call("select count_ledger_edges($1, 'Africa/Douala')"),
  ],
  [
    'the seal of the ledger, beside a rebuild',
    call(seal.replace(' for', ' where $1::uuid is not null for')),
    call('select rebuild_ledger_days($1)'),
  ],
  ['add_fee_days', call('select add_fee_days($1, 1)')],
  ['add_transaction_days', call('select add_transaction_days($1, 1)')],
  ['list_operator_references', call('select list_operator_references($1, 1)')],
  ['add_operator_outcomes', call("select add_operator_outcomes($1, 1, '-infinity', '{}', '{}')")],
  ['seal_transaction_days', (trx) => trx.query('select seal_transaction_days()')],
  ['seal_operator_months', (trx) => trx.query('select seal_operator_months()')],
]

for (const [name, take, then = take] of EXCLUSIVE) {
  test(`55P03, because it waits, for a second transaction beside one that has made ${name}`, async () => {
    assert.equal(await second(take, then), BLOCKED)
    assert.equal(await second(async () => undefined, then), 'not blocked')
  })
}

test('locks that differ in their subject do not wait for each other', async () => {
  const other = await makeApplication(database.pool)
  const pairs: [Take, Take][] = [
    [(trx) => lockApplication(trx, applicationId), (trx) => lockApplication(trx, other)],
    [(trx) => lockCounters(trx, applicationId), (trx) => lockCounters(trx, other)],
    [(trx) => lockChain(trx, applicationId), (trx) => lockChain(trx, other)],
    [(trx) => lockContent(trx, applicationId, HASH), (trx) => lockContent(trx, other, HASH)],
    [(trx) => lockContent(trx, applicationId, HASH), (trx) => lockContent(trx, applicationId, Buffer.alloc(32, 1))],
    [(trx) => lockActiveMember(trx, applicationId, personId), (trx) => lockActiveMember(trx, applicationId, personId)],
  ]
  for (const [first, then] of pairs) assert.equal(await second(first, then), 'not blocked', first.toString())
})

test('undefined, without waiting, for a recovery that another process works on', async () => {
  let found: unknown
  const take: Take = async (trx) => {
    found = await lockRecovery(trx, applicationId, RECOVERY)
  }
  assert.equal(await second(take, take), 'not blocked')
  assert.equal(found, undefined)
  await second(async () => undefined, take)
  assert.ok(found)
})

test('the owner of a refresh token waits for the same API user', async () => {
  await database.pool.query(
    `insert into refresh_tokens (application_id, token_hash, api_user_id, family_id, expires_at) values ($1, $2, $3, $4, now() + interval '1 day')`,
    [applicationId, HASH, API_USER, randomUUID()],
  )
  const owner: Take = (trx) => lockOwnerOf(trx, applicationId, HASH)
  assert.equal(await second((trx) => lockApiUser(trx, applicationId, API_USER), owner), BLOCKED)
  assert.equal(await second(owner, (trx) => lockApiUser(trx, applicationId, API_USER)), BLOCKED)
})

test('a row of operator work that another process holds is passed over by a claim, in its first submission and later', async () => {
  const items = Array.from({ length: 2 }, () => anIntakeItem(applicationId, { type: 'COLLECT', operator: 'OMCM' }))
  await takeIn(database.pool, items)
  const [held, free] = items.map((item) => item.transactionId)
  const hold: Take = (trx) => trx.query('select from operator_work where transaction_id = $1 for update', [held])
  const claimed: string[][] = []
  const claim: Take = async (trx) => claimed.push((await claimAll(trx, 'OMCM', 5, 60_000)).map((work) => work.transactionId))
  assert.equal(await second(hold, claim), 'not blocked')
  await database.pool.query("update operator_work set state = 'submitted', next_at = now() where operator = 'OMCM'")
  assert.equal(await second(hold, claim), 'not blocked')
  assert.deepEqual(claimed, [[free], [free]])
})

/** Runs the second while the first, which is done, is not committed; the first commits once the second waits for it. */
async function oneAfterTheOther(first: Take, then: Take): Promise<void> {
  const [holder, other] = [await database.pool.connect(), await database.pool.connect()]
  try {
    await holder.query('begin')
    await first(holder)
    const waiting = then(other)
    await waitUntil('the second one waits for the first', async () => {
      const { rowCount } = await database.pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
      return rowCount === 1
    })
    await holder.query('commit')
    await waiting
  } finally {
    holder.release()
    other.release()
  }
}

test('nothing is numbered or added up twice by two that begin with the same rows: the second reads what the first has committed', async () => {
  const { pool } = database
  const items = Array.from({ length: 4 }, () => anIntakeItem(applicationId, { type: 'COLLECT' }))
  const [first, second, third, fourth] = items.map(
    (item): Take =>
      (trx) =>
        takeIn(trx, [item]),
  )
  assert.ok(first && second && third && fourth)
  await oneAfterTheOther(first, second)
  await oneAfterTheOther(third, fourth)
  const [settleFirst, settleSecond] = items.map(
    (item): Take =>
      (trx) =>
        transition(trx, [{ ...item, event: 'succeeded', actor: { kind: 'operator', id: null } }]),
  )
  assert.ok(settleFirst && settleSecond)
  await oneAfterTheOther(settleFirst, settleSecond)
  await pool.query(
    `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, outcome)
       select application_id, transaction_id, 1, 'submit', now(), 'accepted' from transactions where final_at is not null`,
  )
  const outcomes = call("select add_operator_outcomes($1, 100, '-infinity', '{}', '{}')")
  // The marks exist, so that only their locks are waited for.
  await pool.query('insert into fee_marks values ($1, 0)', [applicationId])
  await pool.query('insert into operator_outcome_marks values ($1, 0, 0)', [applicationId])
  await oneAfterTheOther(call('select add_fee_days($1, 100)'), call('select add_fee_days($1, 100)'))
  await oneAfterTheOther(outcomes, outcomes)
  const { rows } = await pool.query('select sum(transaction_count)::integer as count from operator_outcomes')
  assert.deepEqual(rows, [{ count: 4 }])
  // The row of the file was started without a decision.
  assert.deepEqual(
    (await verifyBooks(pool)).filter(({ check }) => check !== 'approvals'),
    [],
  )
})
