import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { AttemptRecorder, AttemptStarter } from './attempts.ts'
import { ReceiverSlots } from './receiver-slots.ts'
import { NOTHING_ANSWERED, type SendResult } from './send/send-webhook.ts'
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

test('what waits in this process for a receiver is returned, and not sent, once an attempt has timed out there', async () => {
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(6).fill(A_CLAIM.url))
  await database.pool.query(
    `update webhook_deliveries set attempts = 1, claimed_until = now() + interval '30 seconds' where application_id = $1`,
    [applicationId],
  )
  const recorder = new AttemptRecorder({ pool: database.pool, gapsMs: [60_000], logger: { info() {}, warn() {}, error() {} } })
  const hanging: ((result: SendResult) => void)[] = []
  const starter = new AttemptStarter({
    slots: new ReceiverSlots(16),
    recorder,
    claimAgeMsMax: 60_000,
    onFreeSlot: () => undefined,
    attemptDelivery: () => new Promise((resolve) => void hanging.push(resolve)),
  })
  const deliveries = items.map(({ transactionId }) => ({ ...A_CLAIM, applicationId, transactionId }))
  starter.add({ claimedAt: new Date(), deliveries })
  await waitUntil('as many attempts are in progress as the receiver has slots', () => hanging.length === 4)
  hanging[0]?.({ outcome: 'timeout_headers', httpStatus: null, detail: null, durationMs: 5_000, ...NOTHING_ANSWERED })
  await waitUntil('the claims of the others are returned', async () => {
    const { rows } = await database.pool.query('select from webhook_deliveries where application_id = $1 and attempts = 0', [applicationId])
    return rows.length === 2
  })
  assert.equal(hanging.length, 4)
})

test('waited 0 ms and recorded: an attempt whose due time is later by the clock of the database than its start', async () => {
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [A_CLAIM.url])
  assert.ok(item)
  const { transactionId } = item
  await database.pool.query(
    `update webhook_deliveries set attempts = 1, claimed_until = now() + interval '30 seconds' where application_id = $1`,
    [applicationId],
  )
  const recorder = new AttemptRecorder({ pool: database.pool, gapsMs: [60_000], logger: { info() {}, warn() {}, error() {} } })
  const starter = new AttemptStarter({
    slots: new ReceiverSlots(16),
    recorder,
    claimAgeMsMax: 60_000,
    onFreeSlot: () => undefined,
    attemptDelivery: async () => ({ outcome: 'delivered', httpStatus: 200, detail: null, durationMs: 1, ...NOTHING_ANSWERED }),
  })
  const claimedAt = new Date()
  const dueAt = new Date(claimedAt.getTime() + 60_000)
  starter.add({ claimedAt, deliveries: [{ ...A_CLAIM, applicationId, transactionId, dueAt }] })
  const read = async () =>
    (await database.pool.query('select state, first_waited_ms from webhook_deliveries where application_id = $1', [applicationId])).rows
  await waitUntil('its outcome is recorded', async () => (await read())[0]?.state !== 'due')
  assert.deepEqual(await read(), [{ state: 'delivered', first_waited_ms: 0 }])
})
