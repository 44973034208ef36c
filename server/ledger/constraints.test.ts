import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication } from '#server/testing/factories.ts'
import { readBalances } from './testing.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 1_000n)
})
after(() => database.drop())

const POST = `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, clearing_minor, at)
  values ($1, $2, $3, 'MOMOCM', 'XAF', $4, $5, now())`

/** Runs a statement that the database must refuse, and returns the error's code and constraint. */
async function refusalOf(sql: string, values: unknown[]): Promise<[unknown, unknown]> {
  try {
    await database.pool.query(sql, values)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [error.code, 'constraint' in error ? error.constraint : undefined]
    throw error
  }
  throw new Error('The database accepted the statement')
}

test('23514: a posting whose six entries do not sum to zero', async () => {
  assert.deepEqual(await refusalOf(POST, [applicationId, randomUUID(), 'fund', 100, -99]), ['23514', 'posting_balances'])
})

test('23514: a posting of an unknown kind', async () => {
  assert.deepEqual(await refusalOf(POST, [applicationId, randomUUID(), 'gift', 100, -100]), ['23514', 'ledger_postings_kind_check'])
})

test('23505: a second posting of the same application, subject and kind', async () => {
  const subject = randomUUID()
  await database.pool.query(POST, [applicationId, subject, 'hold', -100, 100])
  assert.deepEqual(await refusalOf(POST, [applicationId, subject, 'hold', -100, 100]), ['23505', 'ledger_postings_pkey'])
})

test('stored: the same subject with another kind, and the same subject and kind in another application', async () => {
  const subject = randomUUID()
  await database.pool.query(POST, [applicationId, subject, 'hold', -100, 100])
  await database.pool.query(POST, [applicationId, subject, 'release', 100, -100])
  await database.pool.query(POST, [await makeApplication(database.pool), subject, 'hold', -100, 100])
  const { rows } = await database.pool.query('select kind from ledger_postings where subject_id = $1 order by kind', [subject])
  assert.deepEqual(
    rows.map((row) => row.kind),
    ['hold', 'hold', 'release'],
  )
})

const BALANCE = (change: string) => `update ledger_balances set ${change} where application_id = $1 and operator = 'MOMOCM'`

test('23514: a deposit balance below zero', async () => {
  const change = BALANCE('deposit_minor = deposit_minor - 1001, clearing_minor = clearing_minor + 1001')
  assert.deepEqual(await refusalOf(change, [applicationId]), ['23514', 'ledger_balances_deposit_minor_check'])
})

test('23514: a held balance below zero', async () => {
  const change = BALANCE('held_minor = held_minor - 1, clearing_minor = clearing_minor + 1')
  assert.deepEqual(await refusalOf(change, [applicationId]), ['23514', 'ledger_balances_held_minor_check'])
})

test('23514: balances that do not sum to zero', async () => {
  for (const account of ['collect', 'deposit', 'held', 'fees', 'clearing', 'revenue']) {
    const change = BALANCE(`${account}_minor = ${account}_minor + 1`)
    assert.deepEqual(await refusalOf(change, [applicationId]), ['23514', 'books_balance'], account)
  }
})

test('23001: a change or removal of a posting, also in replica mode', async () => {
  const statements = ['update ledger_postings set at = now()', 'delete from ledger_postings', 'truncate ledger_postings']
  for (const statement of statements) assert.deepEqual((await refusalOf(statement, []))[0], '23001', statement)
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query("set local session_replication_role = 'replica'")
    await assert.rejects(client.query('delete from ledger_postings'), { code: '23001' })
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('unchanged balances after everything that was refused', async () => {
  assert.deepEqual(await readBalances(database.pool, applicationId), [0n, 1_000n, 0n, 0n, -1_000n, 0n])
})
