import assert from 'node:assert/strict'
import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ok } from '#lib/result.ts'
import type { RetentionMonths } from '#server/config.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { monthsBefore, removeOldRows } from './remove-old-rows.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const ZERO_SUMS: RetentionMonths = { attempts: 0, deliveries: 0, exports: 0, statements: 0, attachments: 0, throttles: 0 }
const MONTHS: RetentionMonths = { attempts: 6, deliveries: 3, exports: 12, statements: 24, attachments: 24, throttles: 1 }

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** As if these transactions had been taken in and ended `monthsAgo`: ids in order of time, and every row beside them that old. */
async function makeHistory(applicationId: string, monthsAgo: number, count: number, ending: 'succeeded' | 'pending' = 'succeeded') {
  const at = new Date(monthsBefore(NOW, monthsAgo).getTime() + 3_600_000)
  const items = Array.from({ length: count }, () => {
    const id = randomUUIDv7()
    const hex = at.getTime().toString(16).padStart(12, '0')
    return anIntakeItem(applicationId, { type: 'COLLECT', transactionId: `${hex.slice(0, 8)}-${hex.slice(8)}-${id.slice(14)}` })
  })
  await takeIn(database.pool, items)
  const ids = items.map((item) => item.transactionId)
  if (ending === 'succeeded') {
    const move = { event: 'succeeded' as const, message: 'ok', actor: { kind: 'operator' as const, id: null } }
    await withTransaction(database.pool, async (trx) =>
      ok(
        await transition(
          trx,
          ids.map((transactionId) => ({ applicationId, transactionId, ...move })),
        ),
      ),
    )
  }
  const values = [applicationId, ids, at]
  // Days differ from the roll-ups then, which nothing here looks at: times of the transactions alone are moved.
  await database.pool.query(
    'update transactions set final_at = $3 where application_id = $1 and transaction_id = any ($2) and final_at is not null',
    values,
  )
  await database.pool.query(
    `update webhook_deliveries set state = 'delivered', attempts = 1, created_at = $3, finished_at = $3 where application_id = $1 and transaction_id = any ($2)`,
    values,
  )
  await database.pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome)
       select $1, id, 1, $3, 5, 'delivered' from unnest($2::uuid[]) as id`,
    values,
  )
  await database.pool.query(
    `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome)
       select $1, id, n, 'query', $3, $3, 'pending' from unnest($2::uuid[]) as id, generate_series(1, 3) as n`,
    values,
  )
  return ids
}

async function countOf(table: string, applicationId: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: bigint }>(`select count(*) from ${table} where application_id = $1`, [applicationId])
  return Number(rows[0]?.count)
}

const countsOf = async (applicationId: string) =>
  Promise.all(['transactions', 'operator_attempts', 'webhook_deliveries', 'webhook_attempts'].map((table) => countOf(table, applicationId)))

const run = (options: Partial<Parameters<typeof removeOldRows>[1]> = {}) =>
  removeOldRows(database.pool, { months: MONTHS, now: NOW, pauseMs: 0, ...options })

test('removed: only old attempts and deliveries of finished transactions; the books verify', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const [ancient = ''] = await makeHistory(applicationId, 20, 25)
  await makeHistory(applicationId, 5, 10)
  const [recent = ''] = await makeHistory(applicationId, 1, 4)
  const [open = ''] = await makeHistory(applicationId, 20, 3, 'pending')
  const before = await Promise.all(
    ['all_transaction_events', 'ledger_postings', 'audit_entries'].map((table) => countOf(table, applicationId)),
  )
  assert.deepEqual(await countsOf(applicationId), [42, 126, 39, 42])
  await database.pool.query('delete from webhook_attempts where application_id = $1 and transaction_id = $2', [applicationId, open])

  assert.deepEqual(await run({ months: ZERO_SUMS }), {})
  // In batches that end in the middle of a transaction, by three processes at once.
  const removed = await Promise.all([1, 2, 3].map(() => run({ batchRows: 7 })))
  const sum = (table: string) => removed.reduce((total, one) => total + (one[table] ?? 0), 0)
  assert.deepEqual([sum('operator_attempts'), sum('webhook_deliveries')], [75, 35])
  assert.deepEqual((await countsOf(applicationId)).slice(0, 3), [42, 51, 4])
  assert.deepEqual(
    await Promise.all(['all_transaction_events', 'ledger_postings', 'audit_entries'].map((table) => countOf(table, applicationId))),
    before,
  )
  assert.deepEqual(await verifyDatabase(database.pool), [])

  const detailOf = (id: string) => readTransactionDetail(database.pool, applicationId, id)
  const mark = { calls: monthsBefore(NOW, 6).toISOString(), webhook: monthsBefore(NOW, 3).toISOString() }
  await database.pool.query('update transactions set created_at = final_at where application_id = $1 and final_at is not null', [
    applicationId,
  ])
  const [old, young, pending] = await Promise.all([detailOf(ancient), detailOf(recent), detailOf(open)])
  assert.deepEqual([old?.attempts.length, old?.webhook, old?.removedBefore], [0, null, mark])
  assert.deepEqual([young?.attempts.length, young?.webhook?.attempts.length, young?.removedBefore], [3, 1, { calls: null, webhook: null }])
  assert.deepEqual([pending?.attempts.length, pending?.removedBefore], [3, { calls: null, webhook: null }])
})

test('a difference for a missing delivery that was not removed for its age', async () => {
  const applicationId = await makeApplication(database.pool)
  const [recent] = await makeHistory(applicationId, 1, 2)
  await database.pool.query('delete from webhook_deliveries where application_id = $1 and transaction_id = $2', [applicationId, recent])
  const problems = await verifyDatabase(database.pool)
  assert.ok(
    problems.some((problem) => problem.startsWith(`webhooks: ${applicationId} ${recent}`)),
    JSON.stringify(problems),
  )
  await database.pool.query('delete from webhook_attempts where application_id = $1', [applicationId])
})

test('kept: old attempts of a delivery that is due or ended recently', async () => {
  const applicationId = await makeApplication(database.pool)
  const [due, late] = await makeHistory(applicationId, 10, 2)
  await database.pool.query(
    "update webhook_deliveries set state = 'due', finished_at = null where application_id = $1 and transaction_id = $2",
    [applicationId, due],
  )
  await database.pool.query('update webhook_deliveries set finished_at = $3 where application_id = $1 and transaction_id = $2', [
    applicationId,
    late,
    NOW,
  ])
  await run()
  assert.deepEqual(await countsOf(applicationId), [2, 0, 2, 2])
})

test('removed: records and stored files of exports, statements as uploaded, and failed sign-ins, that are older than their limits', async () => {
  const applicationId = await makeApplication(database.pool)
  const personId = await makePerson(database.pool, applicationId, ['finance'])
  for (const months of [30, 14, 11, 0])
    await database.pool.query(
      `insert into exports (application_id, export_id, person_id, format, query, time_zone, cut_off_at, started_at)
         values ($1, $2, $3, 'csv', '', 'UTC', $4, $4)`,
      [applicationId, randomUUID(), personId, monthsBefore(NOW, months)],
    )
  await database.pool.query(
    `insert into export_pieces (application_id, export_id, number, stored_at, content)
       select application_id, export_id, n, started_at, 'x' from exports, generate_series(0, 1) as n where application_id = $1`,
    [applicationId],
  )
  await database.pool.query(
    `insert into sign_in_throttles (throttle_key, failures, last_failure_at) values ('old', 1, $1), ('new', 1, $2)`,
    [monthsBefore(NOW, 2), NOW],
  )
  await database.pool.query(
    `insert into statement_pieces (application_id, file_id, number, byte_count, stored_at, content)
       select $1, gen_random_uuid(), 0, 1, at, 'x' from unnest($2::timestamptz[]) as at`,
    [applicationId, [25, 24, 1].map((months) => monthsBefore(NOW, months))],
  )
  assert.deepEqual(await run({ batchRows: 1 }), { export_pieces: 4, exports: 2, statement_pieces: 1, sign_in_throttles: 1 })
  assert.deepEqual([await countOf('exports', applicationId), await countOf('export_pieces', applicationId)], [2, 4])
  assert.equal(await countOf('statement_pieces', applicationId), 2)
})

test('1 batch removed by a run that is stopped; the next run removes the rest', async () => {
  const applicationId = await makeApplication(database.pool)
  await makeHistory(applicationId, 20, 30)
  const { rows } = await database.pool.query<{ place: bigint }>('select count(*) as place from applications where application_id < $1', [
    applicationId,
  ])
  // Each application before it costs one look and one question whether to go on; then some batches of its own.
  let asked = Number(rows[0]?.place) * -2
  await run({ batchRows: 5, isEnding: () => ++asked > 6 })
  const [, left = 0] = await countsOf(applicationId)
  assert.ok(left > 0 && left < 90, `${left} rows left`)
  await run()
  assert.deepEqual(await countsOf(applicationId), [30, 0, 0, 0])
})

test('the same day and time in an earlier calendar month in UTC', () => {
  const cases: [string, number, string][] = [
    ['2026-11-21T12:00:00Z', 1, '2026-10-21'],
    ['2026-03-31T23:59:59Z', 1, '2026-02-28'],
    ['2024-03-31T00:00:00Z', 1, '2024-02-29'],
    ['2026-01-15T00:00:00Z', 13, '2024-12-15'],
  ]
  for (const [now, months, expected] of cases) assert.equal(monthsBefore(new Date(now), months).toISOString(), `${expected}T00:00:00.000Z`)
})

test('removed up to the instant of its limit, and kept from it on or while something is open: each table', async () => {
  const applicationId = await makeApplication(database.pool)
  const ids: Record<string, string> = {}
  for (const name of ['old', 'young', 'open', 'late', 'waiting'])
    ids[name] = (await makeHistory(applicationId, 20, 1, name === 'open' ? 'pending' : 'succeeded'))[0] ?? ''
  const limit = (months: number, afterMs: number) => new Date(monthsBefore(NOW, months).getTime() + afterMs)
  const at = (table: string, column: string, months: number) =>
    Promise.all(
      Object.entries(ids).map(([name, id]) =>
        database.pool.query(`update ${table} set ${column} = $2 where transaction_id = $1`, [id, limit(months, name === 'young' ? 0 : -1)]),
      ),
    )
  await at('operator_attempts', 'started_at', MONTHS.attempts)
  await at('webhook_attempts', 'started_at', MONTHS.deliveries)
  await at('webhook_deliveries', 'finished_at', MONTHS.deliveries)
  await database.pool.query('update webhook_deliveries set finished_at = $2 where transaction_id = $1', [
    ids['late'],
    limit(MONTHS.deliveries, 0),
  ])
  await database.pool.query("update webhook_deliveries set state = 'due', finished_at = $2 where transaction_id = $1", [
    ids['waiting'],
    limit(MONTHS.deliveries, -1),
  ])
  await database.pool.query(
    `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at, outcome, started_at, duration_ms)
       select $1, r.id::uuid, 1, 'x', r.id::uuid, case r.name when 'young' then $4 else $3::timestamptz end, now(), case r.name when 'waiting' then null else 'timeout' end,
           case r.name when 'waiting' then null else now() end, case r.name when 'waiting' then null else 1 end
         from unnest($2::text[], $5::text[]) as r (name, id)`,
    [applicationId, Object.keys(ids), limit(MONTHS.deliveries, -1), limit(MONTHS.deliveries, 0), Object.values(ids)],
  )
  await run()
  const namesIn = async (table: string) => {
    const { rows } = await database.pool.query<{ id: string }>(
      `select distinct transaction_id as id from ${table} where application_id = $1`,
      [applicationId],
    )
    return Object.keys(ids).filter((name) => rows.some((row) => row.id === ids[name]))
  }
  const tables = [
    'transactions',
    'all_transaction_events',
    'operator_attempts',
    'webhook_attempts',
    'webhook_deliveries',
    'webhook_resends',
  ]
  assert.deepEqual(Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await namesIn(table)] as const))), {
    transactions: ['old', 'young', 'open', 'late', 'waiting'],
    all_transaction_events: ['old', 'young', 'open', 'late', 'waiting'],
    operator_attempts: ['young', 'open'],
    webhook_attempts: ['young', 'late', 'waiting'],
    webhook_deliveries: ['young', 'late', 'waiting'],
    webhook_resends: ['young', 'waiting'],
  })
})

test('a mark that was noted is never taken back by a run with another limit', async () => {
  await run()
  await run({ months: { ...MONTHS, attempts: 9 } })
  const { rows } = await database.pool.query("select removed_before as at from retention_marks where kind = 'attempts'")
  assert.deepEqual(rows, [{ at: monthsBefore(NOW, 6) }])
})
