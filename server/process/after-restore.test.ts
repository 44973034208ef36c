import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPool } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { prepareRestored } from './after-restore.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const now = new Date('2026-11-23T12:00:00Z')
const OLDER = '019aaf00-0000-7000-8000-000000000001'
const APPLICATION = '019a0000-0000-7000-8000-000000000001'

async function insertWork(transactionId: string, state: string): Promise<void> {
  await database.pool.query(
    `insert into operator_work (application_id, transaction_id, operator, type, state, next_at)
       values ($1, $2, 'SNWAVE', 'DEPOSIT', $3, 'infinity')`,
    [APPLICATION, transactionId, state],
  )
}

async function stateOf(transactionId: string): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ state: string }>(
    `select state || case when next_at <= clock_timestamp() then ', due' else '' end as state from operator_work where transaction_id = $1`,
    [transactionId],
  )
  return rows[0]?.state
}

test('unconfirmed and due after a restore: what waited to be sent, and what is approved later of a transaction that existed; a newer one is sent', async () => {
  const states = ['queued', 'paused', 'awaiting_code', 'submitted', 'unfunded']
  const ids = states.map((_, index) => OLDER.replace(/1$/, String(index + 2)))
  for (const [index, state] of states.entries()) await insertWork(ids[index] ?? '', state)
  assert.deepEqual(await prepareRestored(database.pool, now), { ok: true, value: { unsent: 3, open: 4, heldWebhooks: 0 } })
  assert.deepEqual(await Promise.all(ids.map(stateOf)), [...Array(3).fill('unconfirmed, due'), 'submitted, due', 'unfunded'])

  // A batch that is paused has its rows approved as paused.
  for (const [id, state] of [[OLDER, 'queued'] as const, [OLDER.replace(/1$/, '8'), 'paused'] as const]) {
    await insertWork(id, state)
    assert.equal(await stateOf(id), 'unconfirmed, due')
  }
  const newer = `${(now.getTime() + 1).toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-000000000001`
  await insertWork(newer, 'queued')
  assert.equal(await stateOf(newer), 'queued')
  assert.deepEqual(await prepareRestored(database.pool, now), { ok: true, value: { unsent: 1, open: 7, heldWebhooks: 0 } })
})

test('two new denials are needed after a restore: those that were counted before the backup do not count', async () => {
  const id = OLDER.replace(/1$/, '9')
  await insertWork(id, 'submitted')
  await database.pool.query(
    "update operator_work set state = 'unconfirmed', absent_since = now() - interval '1 day' where transaction_id = $1",
    [id],
  )
  await prepareRestored(database.pool, now)
  const { rows } = await database.pool.query('select state, absent_since from operator_work where transaction_id = $1', [id])
  assert.deepEqual(rows, [{ state: 'unconfirmed', absent_since: null }])
})

test('refused while a process of the service is connected', async () => {
  const service = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'countersign worker' })
  try {
    await service.query('select 1')
    assert.deepEqual(await prepareRestored(database.pool, now), { ok: false, error: 'service_is_running' })
  } finally {
    await service.end()
  }
})
