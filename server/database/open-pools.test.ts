import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { openPools, type Pools } from './pool.ts'

let database: TestDatabase
let pools: Pools
before(async () => {
  database = await createTestDatabase()
  pools = openPools({ databaseUrl: database.url, databaseReplicaUrl: undefined, poolSize: 4, preparesStatements: true, role: 'test' })
})
after(async () => {
  await pools.pool.end()
  await pools.reportPool.end()
  await database.drop()
})

test('answered: a statement of a payment while more reports than there are connections are running', async () => {
  const gate = await database.pool.connect()
  await gate.query('begin')
  await gate.query('select pg_advisory_xact_lock(1)')
  const reports = Array.from({ length: 20 }, () => pools.reportPool.query('select pg_advisory_xact_lock_shared(1)'))
  try {
    const { rows } = await pools.pool.query<{ one: number }>('select 1 as one')
    assert.deepEqual(rows, [{ one: 1 }])
  } finally {
    await gate.query('rollback')
    gate.release()
  }
  await Promise.all(reports)
})

test('at most the connections of the process, opened by both pools together', async () => {
  await Promise.all([
    ...Array.from({ length: 20 }, () => pools.pool.query('select pg_sleep(0.01)')),
    ...Array.from({ length: 20 }, () => pools.reportPool.query('select pg_sleep(0.01)')),
  ])
  assert.equal(pools.pool.totalCount + pools.reportPool.totalCount, 4)
})
