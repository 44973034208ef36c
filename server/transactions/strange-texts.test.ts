import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { createIntake, takeIn } from './intake.ts'
import { findTransaction } from './transaction-store.ts'
import { createSettler, SYSTEM_ACTOR } from './transition.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Texts that no index entry can hold: random, so that nothing compresses them. */
function randomText(length: number): string {
  return Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join('')
}

const STORABLE = {
  'line separators': 'a\u2028b\u2029c',
  'right-to-left marks': '\u202eabc\u200f',
  'combining marks': `e${'\u0301'.repeat(199)}`,
  'a replacement character': '\ufffd',
  quotes: `'"\\;--$1`,
  'the last code point': '\u{10ffff}',
}
const UNSTORABLE = { NUL: 'a\u0000b', 'a lone high surrogate': 'a\ud800', 'a lone low surrogate': '\udc00b' }

test('the text as it was sent, with any characters', async () => {
  const applicationId = await makeApplication(database.pool)
  const items = Object.values(STORABLE).map((customerName) => anIntakeItem(applicationId, { type: 'COLLECT', customerName }))
  await takeIn(database.pool, items)
  for (const item of items)
    assert.equal((await findTransaction(database.pool, applicationId, item.transactionId))?.customerName, item.customerName)
})

test('rejected only for texts that cannot be stored; the others of the batch, of any application, are stored', async () => {
  const applicationIds = [await makeApplication(database.pool), await makeApplication(database.pool)]
  const intake = createIntake({ pool: database.pool })
  const items = Object.values(UNSTORABLE).flatMap((customerName) =>
    applicationIds.flatMap((applicationId) => [
      anIntakeItem(applicationId, { type: 'COLLECT' }),
      anIntakeItem(applicationId, { type: 'COLLECT', customerName }),
      anIntakeItem(applicationId, { type: 'COLLECT', webhookUrl: `https://a.example/${customerName}` }),
    ]),
  )
  const settled = await Promise.allSettled(items.map((item) => intake.submit(item)))
  assert.deepEqual(
    settled.map((one) => one.status),
    items.map((_, place) => (place % 3 === 0 ? 'fulfilled' : 'rejected')),
  )
})

test('rejected only for the result whose text cannot be stored; the others of its batch are settled', async () => {
  const applicationId = await makeApplication(database.pool)
  const settler = createSettler({ pool: database.pool })
  const items = Array.from({ length: 8 }, () => anIntakeItem(applicationId, { type: 'COLLECT' }))
  await takeIn(database.pool, items)
  const settled = await Promise.allSettled(
    items.map((item, place) =>
      settler.settle({ ...item, event: 'failed', actor: SYSTEM_ACTOR, message: place === 3 ? UNSTORABLE.NUL : 'Compte non inscrit' }),
    ),
  )
  assert.deepEqual(
    settled.map((one) => one.status),
    items.map((_, place) => (place === 3 ? 'rejected' : 'fulfilled')),
  )
})

test('SUCCESS for a transaction whose webhook host is longer than an index entry, and for its neighbours', async () => {
  const applicationId = await makeApplication(database.pool)
  const settler = createSettler({ pool: database.pool })
  const long = anIntakeItem(applicationId, { type: 'COLLECT', webhookUrl: `http://${randomText(2_000)}.example/x` })
  const neighbour = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [long, neighbour])
  const settled = await Promise.all([long, neighbour].map((item) => settler.settle({ ...item, event: 'succeeded', actor: SYSTEM_ACTOR })))
  assert.deepEqual(
    settled.map((one) => one?.status),
    ['SUCCESS', 'SUCCESS'],
  )
})
