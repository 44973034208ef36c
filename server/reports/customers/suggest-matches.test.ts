import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SearchSuggestion } from '#lib/payments/search-suggestion.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { idRange, listCustomers, suggestMatches } from './customers.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function withTransactions(...overrides: Partial<IntakeItem>[]): Promise<{ applicationId: string; items: IntakeItem[] }> {
  const applicationId = await makeApplication(database.pool)
  const items = overrides.map((override) => anIntakeItem(applicationId, { type: 'COLLECT', ...override }))
  await takeIn(database.pool, items)
  await listCustomers(database.pool)
  return { applicationId, items }
}

const suggest = (applicationId: string, typed: string) => suggestMatches(database.pool, applicationId, typed, 6)
const namesIn = (found: SearchSuggestion[]) => found.flatMap((one) => (one.kind === 'customer' ? [one.customerName] : []))
const idsIn = (found: SearchSuggestion[]) => found.flatMap((one) => (one.kind === 'transaction' ? [one.transactionId] : []))

test('returns a transaction for the start of its id, with or without hyphens, in any case', async () => {
  const { applicationId, items } = await withTransactions({})
  const id = items[0]?.transactionId ?? ''
  for (const typed of [id.slice(0, 8), id.slice(0, 11), id.replaceAll('-', '').slice(0, 12), id.toUpperCase(), ` ${id} `])
    assert.deepEqual(idsIn(await suggest(applicationId, typed)), [id], typed)
})

test('returns a transaction for the start of its external id and for its whole pay token', async () => {
  const { applicationId, items } = await withTransactions({ payToken: 'MP260101.1200.A1' }, {})
  assert.deepEqual(idsIn(await suggest(applicationId, items[1]?.externalId.slice(0, 13) ?? '')), [items[1]?.transactionId])
  assert.deepEqual(idsIn(await suggest(applicationId, 'MP260101.1200.A1')), [items[0]?.transactionId])
})

test('returns a customer for the start of any word of the name, without accents and in any case', async () => {
  const { applicationId } = await withTransactions(
    { customerName: 'Aïssatou Bâ N’Diaye' },
    { customerName: 'Moussa Diop', phoneNumber: '237699000001' },
  )
  for (const typed of ['aiss', 'AÏSSATOU', 'ba', 'diaye', 'ba aissatou', 'Aïssatou Bâ'])
    assert.deepEqual(namesIn(await suggest(applicationId, typed)), ['Aïssatou Bâ N’Diaye'], typed)
  assert.deepEqual(namesIn(await suggest(applicationId, 'moussa ba')), [])
})

test('returns a customer for the start of the phone number, with the dial code, without it, with spaces, a plus or two zeros', async () => {
  const { applicationId } = await withTransactions({ customerName: 'Awa Sow', phoneNumber: '237677123456' })
  for (const typed of ['677 12', '237677', '+237 677 12 34 56', '00237677123', '677123456'])
    assert.deepEqual(namesIn(await suggest(applicationId, typed)), ['Awa Sow'], typed)
})

test('returns the customer of the latest transaction first', async () => {
  const { applicationId } = await withTransactions({ customerName: 'Awa Old', phoneNumber: '237677000001' })
  const items = ['Awa Newer', 'Awa Newest'].map((customerName, index) =>
    anIntakeItem(applicationId, { type: 'COLLECT', customerName, phoneNumber: `23767700000${2 + index}` }),
  )
  for (const item of items) await takeIn(database.pool, [item])
  await listCustomers(database.pool)
  assert.deepEqual(namesIn(await suggest(applicationId, 'awa')), ['Awa Newest', 'Awa Newer', 'Awa Old'])
})

test('returns nothing of another application', async () => {
  const { items } = await withTransactions({ customerName: 'Secretly Mine', phoneNumber: '237677999999' })
  const { applicationId } = await withTransactions({})
  for (const typed of ['secretly', '237677999', items[0]?.transactionId ?? ''])
    assert.deepEqual(await suggest(applicationId, typed), [], typed)
})

test('returns a batch for the start of its id, once', async () => {
  const batchId = crypto.randomUUID()
  const { applicationId } = await withTransactions({ batchId, batchSumMinor: 1_000_000n }, { batchId, batchSumMinor: 1_000_000n })
  const found = await suggest(applicationId, batchId.slice(0, 9))
  assert.deepEqual(
    found.filter((one) => one.kind === 'batch'),
    [{ kind: 'batch', batchId, name: null }],
  )
})

test('returns nothing for one character, a NUL, wildcards or a text longer than 200 characters', async () => {
  const { applicationId } = await withTransactions({})
  for (const typed of ['c', 'cl\0', '%%%', '____', 'c'.repeat(201)]) assert.deepEqual(await suggest(applicationId, typed), [], typed)
})

test('lists what came since the last run, and twice adds nothing', async () => {
  const { applicationId } = await withTransactions({ customerName: 'First Person' })
  await takeIn(database.pool, [
    anIntakeItem(applicationId, { type: 'COLLECT', customerName: 'Second Person', phoneNumber: '237677000009' }),
  ])
  assert.deepEqual(namesIn(await suggest(applicationId, 'second')), [])
  await Promise.all([listCustomers(database.pool), listCustomers(database.pool)])
  assert.deepEqual(namesIn(await suggest(applicationId, 'second')), ['Second Person'])
  const { rows } = await database.pool.query('select count(*)::integer as count from customers where application_id = $1', [applicationId])
  assert.equal(rows[0].count, 2)
})

test('returns the whole range of UUIDs for a prefix, and none for text that is not a prefix', () => {
  assert.deepEqual(idRange('0A1b-'), { low: '0a1b0000-0000-0000-0000-000000000000', high: '0a1bffff-ffff-ffff-ffff-ffffffffffff' })
  for (const typed of ['abc', 'xyz1', 'a'.repeat(33)]) assert.equal(idRange(typed), undefined, typed)
})
