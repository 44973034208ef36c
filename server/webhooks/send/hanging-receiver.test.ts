import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listWebhookAttempts } from '../history.ts'
import { ReceiverSlots } from '../receiver-slots.ts'
import { addDeliveries, closeEverything, startLoop, startReceiver } from '../testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  await closeEverything()
  await database.drop()
})

test('waitedMs of each attempt and isLate of what is overdue, for a receiver that hangs', async () => {
  const receiver = await startReceiver(() => undefined)
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(30).fill(receiver.url))
  const loop = startLoop(database.pool, { deadlineMs: 100, leaseMs: 2_000, gapsMs: [60_000, 60_000, 60_000] })
  const attemptedOnce = async () => {
    const { rows } = await database.pool.query<{ waited: number }>(
      'select waited_ms as waited from webhook_attempts where application_id = $1 order by started_at',
      [applicationId],
    )
    return rows
  }
  await waitUntil('every delivery is attempted once', async () => (await attemptedOnce()).length === items.length, { limitMs: 30_000 })
  await loop.drain()
  const waits = (await attemptedOnce()).map((row) => row.waited)
  assert.ok((waits[0] ?? Number.NaN) < 1_000, `the first started after ${waits[0]} ms`)
  // Twenty-six of them wait behind four that time out together, and never more than four go at a time.
  assert.ok((waits.at(-1) ?? 0) > 600, `the last started after ${waits.at(-1)} ms`)
  await database.pool.query(
    `update webhook_deliveries set next_at = now() - interval '6 seconds' where application_id = $1 and transaction_id = $2`,
    [applicationId, items[0]?.transactionId],
  )
  const [late, inTime] = await Promise.all(
    items.slice(0, 2).map((item) => listWebhookAttempts(database.pool, applicationId, item.transactionId)),
  )
  assert.deepEqual([late?.isLate, inTime?.isLate], [true, false])
  assert.equal(late?.attempts.length, 1)
})

test('retries of a receiver that hangs are at least 400 ms apart and at most 30 s later than their pause', async () => {
  const receiver = await startReceiver(() => undefined)
  const applicationId = randomUUID()
  await addDeliveries(database.pool, applicationId, Array<string>(12).fill(receiver.url))
  const loop = startLoop(database.pool, { deadlineMs: 80, leaseMs: 2_000, gapsMs: [60_000, 60_000, 60_000] })
  const pauses = async () => {
    const { rows } = await database.pool.query<{ pause: number }>(
      `select extract(epoch from d.next_at - a.started_at - a.duration_ms * interval '1 millisecond')::double precision as pause
         from webhook_attempts a join webhook_deliveries d using (application_id, transaction_id) where a.application_id = $1 order by d.next_at`,
      [applicationId],
    )
    return rows.map((row) => row.pause)
  }
  await waitUntil('twelve pauses are stored', async () => (await pauses()).length === 12, { limitMs: 30_000 })
  await loop.drain()
  const [first = 0, ...rest] = await pauses()
  assert.ok(first >= 59.9 && first < 60.5, `the first after ${first} s`)
  assert.ok(
    rest.every((pause) => pause < 91),
    `no retry after more than 90 s: ${rest.join(', ')}`,
  )
  const { rows } = await database.pool.query<{ at: Date }>(
    'select next_at as at from webhook_deliveries where application_id = $1 order by next_at',
    [applicationId],
  )
  const gaps = rows.slice(1).map((row, place) => row.at.getTime() - (rows[place]?.at.getTime() ?? 0))
  assert.ok(
    gaps.every((gap) => gap >= 400),
    `no two at once: ${gaps.join(', ')}`,
  )
})

test('one slot for a receiver that is slow, four for one that hangs while few do', () => {
  const slots = new ReceiverSlots(4_096)
  const target = slots.get('http://hangs.example')
  const timeOut = () => {
    slots.added(target)
    slots.allowance(500)
    slots.ended(target, 'timed_out', 0)
  }
  for (let time = 0; time < 7; time++) timeOut()
  assert.equal(target.slots, 1)
  timeOut()
  assert.equal(target.slots, 4)
  slots.added(target)
  slots.ended(target, 'answered', 0)
  for (let time = 0; time < 3; time++) timeOut()
  assert.equal(target.slots, 1)
})

test('one slot each if hundreds of receivers hang', () => {
  const slots = new ReceiverSlots(4_096)
  const targets = Array.from({ length: 300 }, (_, place) => slots.get(`http://hangs-${place}.example`))
  for (let time = 0; time < 12; time++) {
    for (const target of targets) {
      slots.added(target)
      slots.ended(target, 'timed_out', 0)
    }
    slots.allowance(500)
  }
  assert.deepEqual(new Set(targets.map((target) => target.slots)), new Set([1]))
})

test('two thousand receivers are remembered of ten thousand that hang, and those that answer are among them', () => {
  const slots = new ReceiverSlots(4_096)
  const well = slots.get('http://well.example')
  slots.added(well)
  slots.ended(well, 'answered', 0)
  for (let place = 0; place < 10_000; place++) {
    const target = slots.get(`http://h${place}.example`)
    slots.added(target)
    slots.ended(target, 'timed_out', 0)
  }
  assert.ok([...slots.all()].length <= 2_048)
  assert.equal(slots.find('http://well.example'), well)
  assert.ok(Object.keys(slots.allowance(500).slots.suspects).length < 2_048)
})

test('delivered for an attempt that was due months ago', async () => {
  const receiver = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  await database.pool.query(`update webhook_deliveries set next_at = now() - interval '90 days' where application_id = $1`, [applicationId])
  const loop = startLoop(database.pool)
  await waitUntil(
    'the webhook is delivered',
    async () => (await listWebhookAttempts(database.pool, applicationId, item.transactionId))?.state === 'delivered',
  )
  await loop.drain()
})
