import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createPool } from '../pool.ts'
import { type DatabaseMode, isEmptyDatabase, readStampedMode, requireDatabaseMode, stampDatabase } from './database-mode.ts'

const databases: TestDatabase[] = []
let database: TestDatabase

beforeEach(async () => {
  database = await createTestDatabase()
  databases.push(database)
})
after(async () => {
  for (const one of databases) await one.drop()
})

const stamp = (mode: DatabaseMode) => stampDatabase(database.pool, mode)
const demand = (mode: DatabaseMode) => requireDatabaseMode(database.pool, mode)

for (const mode of ['sandbox', 'production'] as const) {
  const other = mode === 'sandbox' ? 'production' : 'sandbox'
  test(`refused: ${other} on a database whose first process was in ${mode} mode`, async () => {
    await demand(other)
    await stamp(mode)
    await stamp(mode)
    assert.equal(await readStampedMode(database.pool), mode)
    await assert.rejects(stamp(other), new RegExp(`belongs to (a )?${mode}`))
    await assert.rejects(demand(other), new RegExp(`belongs to (a )?${mode}`))
    assert.equal(await readStampedMode(database.pool), mode)
  })
}

test('one stamped and one refused of two first processes that start at once in different modes', async () => {
  const results = await Promise.allSettled([stamp('sandbox'), stamp('production'), stamp('sandbox'), stamp('production')])
  assert.equal(results.filter((result) => result.status === 'rejected').length, 2)
})

test('undefined for a database without our tables', async () => {
  const name = `bare_${database.url.split('_').at(-1)}`
  await database.pool.query(`create database ${name}`)
  const bare = createPool({ databaseUrl: database.url.replace(/[^/]*$/, name), connectionsMax: 1, applicationName: 'bare' })
  try {
    assert.equal(await isEmptyDatabase(bare), true)
    await requireDatabaseMode(bare, 'sandbox')
    await requireDatabaseMode(bare, 'production')
  } finally {
    await bare.end()
    await database.pool.query(`drop database ${name} with (force)`)
  }
})
