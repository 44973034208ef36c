import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { checkRows, snapshotRows, type Told } from './rows.ts'

let database: TestDatabase
let applicationId: string

before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

const ZERO_SUMS: Told = { accepted: new Set(), acceptedRows: [], uncertain: new Set(), acceptedTokens: 0 }

test('nothing is found where nothing was written', async () => {
  assert.deepEqual(await checkRows(database.pool, await snapshotRows(database.pool), ZERO_SUMS), [])
})

test('a transaction whose request was refused is caught by its externalId', async () => {
  const before = await snapshotRows(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  assert.match(
    (await checkRows(database.pool, before, ZERO_SUMS)).join(),
    new RegExp(`${item.externalId} exists, and its request was refused`),
  )
  assert.deepEqual(await checkRows(database.pool, before, { ...ZERO_SUMS, accepted: new Set([item.externalId]) }), [])
  assert.deepEqual(await checkRows(database.pool, before, { ...ZERO_SUMS, uncertain: new Set([item.externalId]) }), [])
})

test('a transaction that was accepted and is not there is caught', async () => {
  const before = await snapshotRows(database.pool)
  const lost = '00000000-0000-4000-8000-000000000001'
  assert.match(
    (await checkRows(database.pool, before, { ...ZERO_SUMS, accepted: new Set([lost]) })).join(),
    /was accepted and does not exist/,
  )
})

test('a row in a table that no refused request may write is caught', async () => {
  const before = await snapshotRows(database.pool)
  await makePerson(database.pool, applicationId, ['checker'])
  assert.match((await checkRows(database.pool, before, ZERO_SUMS)).join(), /rows of people changed/)
})

test('a refresh token that was never issued is caught', async () => {
  const before = await snapshotRows(database.pool)
  await database.pool.query(
    `insert into refresh_tokens (application_id, token_hash, api_user_id, family_id, expires_at)
       values ($1, '\\x00', gen_random_uuid(), gen_random_uuid(), now() + interval '1 day')`,
    [applicationId],
  )
  assert.match((await checkRows(database.pool, before, ZERO_SUMS)).join(), /1 new refresh tokens, and only 0 were issued/)
})
