import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listWebhookAttempts } from '../history.ts'
import { addDeliveries, closeEverything, startLoop, startReceiver, untilFinished } from '../testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  await closeEverything()
  await database.drop()
})

test('refused_target at a private address that only another application was granted, even while a connection to it is kept', async () => {
  const receiver = await startReceiver((response) => response.end())
  const [granted, other] = [randomUUID(), randomUUID()]
  const loop = startLoop(database.pool, {
    allowsPrivateTargets: false,
    networksFor: (applicationId) => (applicationId === granted ? ['127.0.0.0/8'] : []),
  })
  await addDeliveries(database.pool, granted, [receiver.url])
  loop.wake()
  await untilFinished(database.pool, granted)
  const [refused] = await addDeliveries(database.pool, other, [receiver.url])
  assert.ok(refused)
  loop.wake()
  const attempt = await waitUntil('the attempt is recorded', async () => {
    const history = await listWebhookAttempts(database.pool, other, refused.transactionId)
    return history?.attempts[0]
  })
  assert.equal(attempt.outcome, 'refused_target')
  assert.equal(receiver.received.length, 1)
})
