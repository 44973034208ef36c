import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { CANCELLED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { laterRecordSchema as recordSchema } from '#lib/schemas/api/responses.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { aBand, anIntakeItem } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

const cancel = (id: string, init: RequestInit = { method: 'POST', headers: harness.headers }) =>
  fetch(`${harness.baseUrl}/api/v2/transactions/${id}/cancel`, init)

async function waiting(): Promise<string> {
  const item = anIntakeItem(harness.partner.applicationId, { bands: [aBand({})] })
  await takeIn(harness.database.pool, [item])
  return item.transactionId
}

test('200 with the record for a transaction that waits, with a body or without, and the same record again', async () => {
  const id = await waiting()
  const first = await cancel(id)
  assert.equal(first.status, 200)
  const record = recordSchema.parse(await first.json())
  assert.deepEqual([record.id, record.status], [id, 'FAILED'])
  const again = await cancel(id.toUpperCase(), { method: 'POST', headers: harness.headers, body: '{}' })
  assert.deepEqual(recordSchema.parse(await again.json()), record)
  const { rows } = await harness.database.pool.query('select message from transactions where transaction_id = $1', [id])
  assert.deepEqual(rows, [{ message: CANCELLED_MESSAGE }])
})

test('404 for what is no transaction of the application, 401 without credentials, 405 for GET', async () => {
  const id = await waiting()
  const statuses = [
    (await cancel(randomUUID())).status,
    (await cancel('x')).status,
    (await cancel(`${id}/x`)).status,
    (await cancel(id, { method: 'POST' })).status,
    (await cancel(id, { headers: harness.headers })).status,
  ]
  assert.deepEqual(statuses, [404, 404, 404, 401, 405])
})
