import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test("a transaction's detail has the receiver of its webhook without user name, password and token", async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { webhookUrl: 'https://kora:s3cret@partner.example/hooks?token=s3cret&order=12' })
  await takeIn(database.pool, [item])
  const detail = await readTransactionDetail(database.pool, applicationId, item.transactionId)
  assert.equal(detail?.webhookUrl, 'https://partner.example/hooks?token=***&order=12')
  assert.doesNotMatch(JSON.stringify(detail), /s3cret/)
})
