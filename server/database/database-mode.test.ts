import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createApiUser } from '#server/partner-auth/create-api-user.ts'
import { SEEDED_USERNAMES } from '#server/sandbox/seed-applications.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { type DatabaseMode, isEmptyDatabase, readStampedMode, requireDatabaseMode, stampDatabase } from './database-mode.ts'
import { createPool } from './pool.ts'

const databases: TestDatabase[] = []
let database: TestDatabase

beforeEach(async () => {
  database = await createTestDatabase()
  databases.push(database)
})
after(async () => {
  for (const one of databases) await one.drop()
})

const stamp = (mode: DatabaseMode) => stampDatabase(database.pool, mode, SEEDED_USERNAMES)
const demand = (mode: DatabaseMode) => requireDatabaseMode(database.pool, mode, SEEDED_USERNAMES)

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

test('production for a database without a stamp that has applications of its own, also with a seeded name', async () => {
  const { applicationId } = await createTestPartner(database.pool, { name: 'Kora Stores' })
  must(await createApiUser(database.pool, { applicationId, username: SEEDED_USERNAMES[0] ?? '', actor: SYSTEM_ACTOR }))
  await assert.rejects(demand('sandbox'), /belongs to production/)
  await stamp('production')
})

test('sandbox for a database without a stamp that has the API users of both seeded applications', async () => {
  for (const username of SEEDED_USERNAMES) {
    const { applicationId } = await createTestPartner(database.pool)
    must(await createApiUser(database.pool, { applicationId, username, actor: SYSTEM_ACTOR }))
  }
  await assert.rejects(demand('production'), /belongs to a sandbox/)
  await stamp('sandbox')
})

test('undefined for a database without our tables', async () => {
  const name = `bare_${database.url.split('_').at(-1)}`
  await database.pool.query(`create database ${name}`)
  const bare = createPool({ databaseUrl: database.url.replace(/[^/]*$/, name), connectionsMax: 1, applicationName: 'bare' })
  try {
    assert.equal(await isEmptyDatabase(bare), true)
    await requireDatabaseMode(bare, 'sandbox', SEEDED_USERNAMES)
    await requireDatabaseMode(bare, 'production', SEEDED_USERNAMES)
  } finally {
    await bare.end()
    await database.pool.query(`drop database ${name} with (force)`)
  }
})
