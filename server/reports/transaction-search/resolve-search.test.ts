import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { listFilterOf, phoneCandidates, resolveSearch } from './resolve-search.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('a transaction by each of its ids, a batch, and a phone number in any spelling, from the search box', async () => {
  const { pool } = database
  const application = await makeApplication(pool)
  const batchId = randomUUID()
  const makerId = await makePerson(pool, application, ['maker'])
  const ofFile = { source: 'file', makerId, batchId, batchSumMinor: 500_000n } as const
  const item = anIntakeItem(application, { ...ofFile, phoneNumber: '237677209341', type: 'COLLECT' })
  await createIntake({ pool }).submit(item)
  for (const typed of [item.transactionId, item.externalId, item.externalId.toUpperCase(), ` ${item.payToken} `]) {
    assert.deepEqual(await resolveSearch(pool, application, typed), { kind: 'transaction', transactionId: item.transactionId }, typed)
  }
  assert.deepEqual(await resolveSearch(pool, application, batchId), { kind: 'batch', batchId, hasPage: false })
  for (const typed of ['237677209341', '+237 6 77 20 93 41', '00237677209341', '677 20 93 41']) {
    assert.deepEqual(await resolveSearch(pool, application, typed), { kind: 'phone', phoneNumber: '237677209341' }, typed)
  }
})

test('undefined for what belongs to another application', async () => {
  const { pool } = database
  const item = anIntakeItem(await makeApplication(pool), { type: 'COLLECT' })
  await createIntake({ pool }).submit(item)
  const other = await makeApplication(pool)
  for (const typed of [item.transactionId, item.externalId, item.payToken, item.phoneNumber])
    assert.equal(await resolveSearch(pool, other, typed), undefined)
})

test('undefined for text that is neither an id nor a phone number', async () => {
  const application = await makeApplication(database.pool)
  for (const typed of ['', '   ', '\0', "' or 1=1 --", '%', 'x'.repeat(500), '12'])
    assert.equal(await resolveSearch(database.pool, application, typed), undefined)
  assert.deepEqual(phoneCandidates('12ab'), [])
})

test('a filter by phone for digits, by name for anything else that is not an id', () => {
  assert.deepEqual(listFilterOf('+237 6 77'), { phone: '237677' })
  assert.deepEqual(listFilterOf('00237'), { phone: '237' })
  assert.deepEqual(listFilterOf('12'), { name: '12' })
  assert.deepEqual(listFilterOf(' Ngassa '), { name: 'Ngassa' })
  assert.deepEqual(listFilterOf('x'.repeat(500)), { name: 'x'.repeat(100) })
})
