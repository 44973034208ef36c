import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { AttemptRecorder, AttemptStarter } from './attempts.ts'
import { ReceiverSlots } from './receiver-slots.ts'
import { A_CLAIM, addDeliveries } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const AGE_MS_MAX = 20

/** Keeps the event loop busy, as a pause of the whole process does. */
function stall(durationMs: number): void {
  const endsAtMs = performance.now() + durationMs
  while (performance.now() < endsAtMs);
}

test('a claim that has become too old is returned with its attempt, and nothing is sent', async () => {
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [A_CLAIM.url])
  assert.ok(item)
  const { transactionId } = item
  await database.pool.query(
    `update webhook_deliveries set attempts = 1, claimed_until = now() + interval '30 seconds' where application_id = $1`,
    [applicationId],
  )
  const slots = new ReceiverSlots(16)
  const recorder = new AttemptRecorder({ pool: database.pool, gapsMs: [], logger: { info() {}, warn() {}, error() {} } })
  let sent = 0
  const starter = new AttemptStarter({
    slots,
    recorder,
    claimAgeMsMax: AGE_MS_MAX,
    onFreeSlot: () => undefined,
    attemptDelivery: () => {
      sent++
      return new Promise(() => undefined)
    },
  })
  const claim = { cursor: '', isWalkComplete: true, nextDueMs: null, claimedAt: new Date() }
  starter.add({ ...claim, deliveries: [{ ...A_CLAIM, applicationId, transactionId }] })
  stall(AGE_MS_MAX + 1)
  await waitUntil('the claim is returned or sent', async () => {
    const { rows } = await database.pool.query('select 1 from webhook_deliveries where application_id = $1 and attempts = 0', [
      applicationId,
    ])
    return rows.length === 1 || sent > 0
  })
  assert.deepEqual([sent, slots.claimed()], [0, 0])
})
