import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { createSettler, type WrittenWebhooks } from '#server/transactions/transition.ts'
import { UnansweredStarts } from '#server/transactions/unanswered-starts.ts'
import { closeEverything, startLoop, startReceiver, untilFinished } from './testing.ts'

const LEASE_MS = 30_000

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  await closeEverything()
  await database.drop()
})

/** A transaction that is old enough for its webhook to be due when it ends. */
async function anOpenTransaction(webhookUrl: string, { isNew = false } = {}, { pool } = database): Promise<IntakeItem> {
  const item = anIntakeItem(await makeApplication(pool), { type: 'COLLECT', webhookUrl })
  await takeIn(pool, [item])
  if (!isNew)
    await pool.query("update transactions set created_at = created_at - interval '1 second' where transaction_id = $1", [
      item.transactionId,
    ])
  return item
}

const ending = ({ applicationId, transactionId }: IntakeItem) =>
  ({ applicationId, transactionId, event: 'succeeded', message: 'Paid', actor: { kind: 'operator', id: null } }) as const

/** Ends a transaction as a process does that dies before it sends anything. Returns what the settler passed on. */
async function endAndDie(item: IntakeItem, claim: { leaseMs: number; busyTargets: string[] }): Promise<WrittenWebhooks | undefined> {
  let written: WrittenWebhooks | undefined
  const settler = createSettler({
    pool: database.pool,
    claimWebhooks: () => claim,
    onWebhooks: (webhooks) => {
      written = webhooks
    },
  })
  await settler.settle(ending(item))
  return written
}

async function deliveryOf({ transactionId }: IntakeItem, { pool } = database): Promise<string> {
  const { rows } = await pool.query<{ found: string }>(
    `select concat_ws(' ', state, attempts, case when claimed_until > clock_timestamp() then 'leased' end) as found
       from webhook_deliveries where transaction_id = $1`,
    [transactionId],
  )
  return rows[0]?.found ?? 'none'
}

async function attemptsOf({ transactionId }: IntakeItem): Promise<string[]> {
  const { rows } = await database.pool.query<{ found: string }>(
    `select number || ' ' || outcome as found from all_webhook_attempts where transaction_id = $1 order by number`,
    [transactionId],
  )
  return rows.map(({ found }) => found)
}

test('the first attempt is committed with the end of the transaction, and sent without a claim', async () => {
  const own = await createTestDatabase()
  // Nothing can be claimed here.
  await own.pool.query('drop function claim_webhooks')
  let seen: string | undefined
  const receiver = await startReceiver(async (response) => {
    seen = await deliveryOf(item, own)
    response.end()
  })
  const item = await anOpenTransaction(receiver.url, {}, own)
  const loop = startLoop(own.pool)
  await createSettler({ pool: own.pool, claimWebhooks: loop.claimWritten, onWebhooks: loop.deliver }).settle(ending(item))
  await waitUntil('it is delivered', async () => (await deliveryOf(item, own)) === 'delivered 1')
  assert.equal(seen, 'due 1 leased')
  const body = JSON.parse(receiver.received[0]?.body ?? '{}')
  const { rows } = await own.pool.query('select final_at from transactions where transaction_id = $1', [item.transactionId])
  assert.deepEqual(
    [body.transactionId, body.externalId, body.status, body.message, body.timestamp],
    [item.transactionId, item.externalId, 'SUCCESS', 'Paid', rows[0].final_at.toISOString()],
  )
  await loop.drain()
  await own.drop()
})

test('the same body whether the webhook was claimed when it was written or later', async () => {
  const receiver = await startReceiver((response) => response.end())
  const [written, claimed] = [await anOpenTransaction(receiver.url), await anOpenTransaction(receiver.url)]
  const loop = startLoop(database.pool)
  const settler = createSettler({ pool: database.pool, claimWebhooks: loop.claimWritten, onWebhooks: loop.deliver })
  await settler.settle(ending(written))
  await createSettler({ pool: database.pool, onWebhooks: loop.wake }).settle(ending(claimed))
  for (const { applicationId } of [written, claimed]) await untilFinished(database.pool, applicationId)
  const plain = receiver.received.map(({ body }) => {
    const fields = JSON.parse(body)
    return { ...fields, transactionId: '', externalId: '', timestamp: String(fields.timestamp).length }
  })
  assert.equal(plain.length, 2)
  assert.deepEqual(plain[0], plain[1])
  await loop.drain()
})

test('unclaimed within half a second of the creation of the transaction', async () => {
  const item = await anOpenTransaction('https://partner.example/hooks', { isNew: true })
  const written = await endAndDie(item, { leaseMs: LEASE_MS, busyTargets: [] })
  assert.equal(await deliveryOf(item), 'due 0')
  assert.deepEqual([written?.claimed, written?.unclaimedTargets], [[], ['https://partner.example']])
})

test('unclaimed for a receiver without a free slot', async () => {
  const item = await anOpenTransaction('https://busy.example/hooks')
  const written = await endAndDie(item, { leaseMs: LEASE_MS, busyTargets: ['https://other.example', 'https://busy.example'] })
  assert.equal(await deliveryOf(item), 'due 0')
  assert.deepEqual([written?.claimed, written?.unclaimedTargets], [[], ['https://busy.example']])
})

test('no claim by another process before the lease has ended', async () => {
  const receiver = await startReceiver((response) => response.end())
  const [item, later] = [await anOpenTransaction(receiver.url), await anOpenTransaction(receiver.url)]
  await endAndDie(item, { leaseMs: LEASE_MS, busyTargets: [] })
  const loop = startLoop(database.pool)
  await createSettler({ pool: database.pool, onWebhooks: loop.wake }).settle(ending(later))
  await untilFinished(database.pool, later.applicationId)
  await loop.drain()
  assert.equal(await deliveryOf(item), 'due 1 leased')
  assert.equal(receiver.received.length, 1)
})

test('an interrupted attempt and a second one after a process that died between its commit and its request', async () => {
  const receiver = await startReceiver((response) => response.end())
  const item = await anOpenTransaction(receiver.url)
  await endAndDie(item, { leaseMs: 1, busyTargets: [] })
  const loop = startLoop(database.pool, { leaseMs: 10_000 })
  await untilFinished(database.pool, item.applicationId)
  await loop.drain()
  assert.deepEqual(await attemptsOf(item), ['1 interrupted', '2 delivered'])
  assert.equal(receiver.received.length, 1)
})

test('returned, so that another process sends it as the first attempt, if it was written while the loop ended', async () => {
  const receiver = await startReceiver((response) => response.end())
  const item = await anOpenTransaction(receiver.url)
  const ended = startLoop(database.pool)
  const settler = createSettler({
    pool: database.pool,
    claimWebhooks: ended.claimWritten,
    async onWebhooks(written) {
      await ended.drain()
      ended.deliver(written)
    },
  })
  await settler.settle(ending(item))
  await waitUntil('it is returned', async () => (await deliveryOf(item)) === 'due 0')
  assert.equal(ended.claimWritten(), undefined)
  const loop = startLoop(database.pool)
  await untilFinished(database.pool, item.applicationId)
  await loop.drain()
  assert.deepEqual(await attemptsOf(item), ['1 delivered'])
})

test('every webhook of a burst at one receiver is delivered once', async () => {
  const receiver = await startReceiver((response) => setImmediate(() => response.end()))
  const loop = startLoop(database.pool)
  const settler = createSettler({ pool: database.pool, claimWebhooks: loop.claimWritten, onWebhooks: loop.deliver })
  const items = await Promise.all(Array.from({ length: 40 }, () => anOpenTransaction(receiver.url)))
  await Promise.all(items.map((item) => settler.settle(ending(item))))
  for (const { applicationId } of items) await untilFinished(database.pool, applicationId)
  await loop.drain()
  const ids = receiver.received.map(({ body }) => JSON.parse(body).transactionId)
  assert.deepEqual(ids.toSorted(), items.map(({ transactionId }) => transactionId).toSorted())
})

test('nothing, and then one webhook half a second after the slow request of its transaction was answered', async () => {
  let nowMs = 0
  const unanswered = new UnansweredStarts(() => nowMs)
  const receiver = await startReceiver((response) => response.end())
  const [held, other] = [await anOpenTransaction(receiver.url), await anOpenTransaction(receiver.url)]
  const loop = startLoop(database.pool, { untilAnswered: unanswered.untilAnswered })
  const settler = createSettler({ pool: database.pool, claimWebhooks: loop.claimWritten, onWebhooks: loop.deliver })
  const stored = Promise.withResolvers<void>()
  const answered = unanswered.during([held.transactionId], () => stored.promise)
  await settler.settle(ending(held))
  await settler.settle(ending(other))
  await untilFinished(database.pool, other.applicationId)
  assert.equal(receiver.received.length, 1)
  nowMs = 10_000
  stored.resolve()
  await answered
  const answeredMs = performance.now()
  await untilFinished(database.pool, held.applicationId)
  await loop.drain()
  assert.deepEqual(await attemptsOf(held), ['1 delivered'])
  const [, late] = receiver.received
  assert.equal(JSON.parse(late?.body ?? '{}').transactionId, held.transactionId)
  // Timers count whole milliseconds.
  assert.ok((late?.atMs ?? 0) - answeredMs > 490)
})

test('the claim of a webhook that is kept back is returned by a drain', async () => {
  const unanswered = new UnansweredStarts()
  const item = await anOpenTransaction('https://partner.example/hooks')
  const loop = startLoop(database.pool, { untilAnswered: unanswered.untilAnswered })
  const stored = Promise.withResolvers<void>()
  const answered = unanswered.during([item.transactionId], () => stored.promise)
  await createSettler({ pool: database.pool, claimWebhooks: loop.claimWritten, onWebhooks: loop.deliver }).settle(ending(item))
  assert.equal(await deliveryOf(item), 'due 1 leased')
  await loop.drain()
  assert.equal(await deliveryOf(item), 'due 0')
  stored.resolve()
  await answered
})

test('a webhook that would be kept back is returned at once if the loop has ended', async () => {
  const unanswered = new UnansweredStarts()
  const item = await anOpenTransaction('https://partner.example/hooks')
  const ended = startLoop(database.pool, { untilAnswered: unanswered.untilAnswered })
  const stored = Promise.withResolvers<void>()
  const answered = unanswered.during([item.transactionId], () => stored.promise)
  await createSettler({
    pool: database.pool,
    claimWebhooks: ended.claimWritten,
    async onWebhooks(written) {
      await ended.drain()
      ended.deliver(written)
    },
  }).settle(ending(item))
  await waitUntil('it is returned', async () => (await deliveryOf(item)) === 'due 0')
  stored.resolve()
  await answered
})
