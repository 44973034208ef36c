import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { findCustomerPayment, findPayToken, storeCustomerLink } from './customer-link-store.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('the first link stays on the page of its payment, and is on no other: a customer may have it already', async () => {
  const applicationId = await makeApplication(database.pool)
  const collects = [1, 2].map(() => anIntakeItem(applicationId, { type: 'COLLECT', operator: 'CIWAVE', phoneNumber: '2250700000001' }))
  await takeIn(database.pool, collects)
  const linksShown = () =>
    Promise.all(collects.map(async ({ payToken }) => (await findCustomerPayment(database.pool, payToken))?.customerLink))
  const [first] = collects
  assert.ok(first)
  assert.deepEqual(await linksShown(), [null, null])
  for (const link of ['https://pay.example/first', 'https://pay.example/second']) {
    await storeCustomerLink(database.pool, first, link)
    assert.deepEqual(await linksShown(), ['https://pay.example/first', null])
  }
})

test('the token of the page, for a transaction of this application only', async () => {
  const item = anIntakeItem(await makeApplication(database.pool), { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  assert.equal(await findPayToken(database.pool, item), item.payToken)
  assert.equal(await findPayToken(database.pool, { ...item, applicationId: randomUUID() }), undefined)
})
