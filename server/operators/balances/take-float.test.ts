import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('never more than the account covers when two processes each claim most of it at once', async () => {
  const { pool } = database
  await pool.query(
    `insert into operator_floats (operator, reported_minor, available_minor, sent_before_minor, reported_at, floor_minor)
       values ('OMCM', 10000, 10000, 0, now(), 0)`,
  )
  const take = async (queryable: Queryable) =>
    (await queryable.query<{ count: number }>('select take_float($1, $2, now()) as count', ['OMCM', [8_000n]])).rows[0]?.count
  const first = await pool.connect()
  await first.query('begin')
  assert.equal(await take(first), 1)
  const second = take(pool)
  await waitUntil('the second one waits for its turn', async () => {
    const { rowCount } = await pool.query(
      "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
    )
    return rowCount === 1
  })
  await first.query('commit')
  first.release()
  assert.equal(await second, 0)
})

test('none, also of what the account covers, in the pause after a claim that it did not cover', async () => {
  const { pool } = database
  await pool.query(
    `insert into operator_floats (operator, reported_minor, available_minor, sent_before_minor, reported_at, floor_minor, waits_since, missing_minor, try_at)
       values ('MOMOCM', 10000, 10000, 0, now(), 0, now(), 5000, now() + interval '1 hour')`,
  )
  const take = async () => (await pool.query<{ count: number }>("select take_float('MOMOCM', '{100}', now()) as count")).rows[0]?.count
  assert.equal(await take(), 0)
  await pool.query("update operator_floats set try_at = now() where operator = 'MOMOCM'")
  assert.equal(await take(), 1)
})

test('counted as sent: the amounts of what may be sent, and none of what waits', async () => {
  const { pool } = database
  await pool.query(
    `insert into operator_floats (operator, reported_minor, available_minor, sent_before_minor, reported_at, floor_minor)
       values ('SNWAVE', 10000, 10000, 0, now(), 0)`,
  )
  const { rows } = await pool.query("select take_float('SNWAVE', '{3000,4000,5000,1000}', now()) as count")
  const { rows: sent } = await pool.query("select sum(sent_minor)::bigint as minor from operator_float_sent where operator = 'SNWAVE'")
  assert.deepEqual([rows, sent], [[{ count: 2 }], [{ minor: 7_000n }]])
})
