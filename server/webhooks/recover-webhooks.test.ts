import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { ok } from '#lib/result.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { continueRecoveries, countRecovery, listRecoveries, recoverWebhooks, stopRecovery } from './recover-webhooks.ts'
import { holdAfterRestore } from './restored/hold-after-restore.ts'
import { personOf } from './testing/resends.ts'
import { addDeliveries, closeEverything, startLoop, startReceiver } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
afterEach(() => closeEverything())
after(() => database.drop())

const HOUR_MS = 3_600_000
const NOW = new Date()

/** An application with deliveries that ended: `minutesAgo` each, given up unless it is in `delivered`. */
async function scene(url: string, minutesAgo: readonly number[], delivered: ReadonlySet<number> = new Set()) {
  const applicationId = randomUUID()
  const items = await addDeliveries(
    database.pool,
    applicationId,
    minutesAgo.map(() => url),
  )
  for (const [place, minutes] of minutesAgo.entries())
    await database.pool.query(
      `update webhook_deliveries set state = $3, attempts = 4, finished_at = $4 where application_id = $1 and transaction_id = $2`,
      [
        applicationId,
        items[place]?.transactionId,
        delivered.has(minutes) ? 'delivered' : 'exhausted',
        new Date(NOW.getTime() - minutes * 60_000),
      ],
    )
  const actor = personOf(applicationId, ['engineer'])
  const since = new Date(NOW.getTime() - HOUR_MS)
  const command = { applicationId, since, includesDelivered: false, now: NOW, actor }
  return { applicationId, items, actor, command }
}

const deps = () => ({ pool: database.pool, wakeWebhooks: () => undefined })

async function resendsOf(applicationId: string): Promise<{ rows: number; transactions: number; waiting: number }> {
  const { rows } = await database.pool.query(
    `select count(*)::int as rows, count(distinct transaction_id)::int as transactions, (count(*) filter (where outcome is null))::int as waiting
       from webhook_resends where application_id = $1`,
    [applicationId],
  )
  return rows[0]
}

test('counted: those given up since an instant, and with the delivered ones on request', async () => {
  const { command } = await scene('https://a.example/hook', [10, 20, 30, 90], new Set([30]))
  assert.equal(await countRecovery(database.pool, command), 2)
  assert.equal(await countRecovery(database.pool, { ...command, includesDelivered: true }), 3)
  assert.equal(await countRecovery(database.pool, { ...command, since: new Date(NOW.getTime() + 1) }), 0)
})

test('each webhook once, two at most waiting at a time, and the delivery is delivered', async () => {
  const receiver = await startReceiver((response) => response.writeHead(200).end())
  const { applicationId, command, items } = await scene(
    receiver.url,
    Array.from({ length: 12 }, (_, place) => place + 1),
  )
  startLoop(database.pool)
  assert.ok((await recoverWebhooks(deps(), { ...command, counted: 12 })).ok)
  let waitingMax = 0
  const done = continueRecoveries(deps(), () => false, 20_000)
  await waitUntil('the recovery ends', async () => {
    waitingMax = Math.max(waitingMax, (await resendsOf(applicationId)).waiting)
    return (await listRecoveries(database.pool, applicationId))[0]?.endedAt != null
  })
  await done
  assert.ok(waitingMax <= 2, `${waitingMax}`)
  await waitUntil('all are recorded', async () => (await resendsOf(applicationId)).waiting === 0)
  assert.deepEqual(await resendsOf(applicationId), { rows: 12, transactions: 12, waiting: 0 })
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']).toSorted(),
    items.map(({ transactionId }) => `msg_${transactionId}`).toSorted(),
  )
  const [listed] = await listRecoveries(database.pool, applicationId)
  assert.deepEqual([listed?.counted, listed?.resent, listed?.isStopped], [12, 12, false])
})

test('continued where it was interrupted: none left out, none twice, although one instant is that of many', async () => {
  // One statement records the outcomes of many attempts, so they all have its instant; a page ends in the middle of them.
  const { applicationId, command } = await scene('https://a.example/hook', [1, 1, 1, 1, 1, 2, 2])
  const finish = () =>
    database.pool.query(
      `update webhook_resends set outcome = 'delivered', started_at = now(), duration_ms = 1 where application_id = $1 and outcome is null`,
      [applicationId],
    )
  assert.ok((await recoverWebhooks(deps(), { ...command, counted: 7 })).ok)
  for (let run = 0; run < 8; run++) {
    await finish()
    // As a process that is stopped after one round, and two that run at once.
    await Promise.all([0, 1].map(() => continueRecoveries(deps(), () => false, 1)))
  }
  assert.deepEqual(await resendsOf(applicationId), { rows: 7, transactions: 7, waiting: 0 })
  assert.ok((await listRecoveries(database.pool, applicationId))[0]?.endedAt)
})

test('refused: a role without the right, nothing to recover, more than was counted, a second one at the same time', async () => {
  const { applicationId, command, actor } = await scene('https://a.example/hook', [1, 2, 3])
  const recover = (changes: object) => recoverWebhooks(deps(), { ...command, counted: 3, ...changes })
  assert.deepEqual(await recover({ actor: personOf(applicationId, ['maker']) }), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await recover({ actor: personOf(randomUUID(), ['engineer']) }), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await recover({ since: NOW }), { ok: false, error: 'nothing_to_recover' })
  assert.deepEqual(await recover({ counted: 2 }), { ok: false, error: { code: 'count_changed', counted: 3 } })
  assert.deepEqual(await resendsOf(applicationId), { rows: 0, transactions: 0, waiting: 0 })
  const both = await Promise.all([recover({}), recover({})])
  assert.deepEqual(both.map(({ ok }) => ok).toSorted(), [false, true])
  const [open] = await listRecoveries(database.pool, applicationId)
  assert.ok(open)
  const { recoveryId } = open
  const stranger = personOf(randomUUID(), ['engineer'])
  assert.deepEqual(await stopRecovery(database.pool, { applicationId, recoveryId, actor: stranger }), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await stopRecovery(database.pool, { applicationId: stranger.applicationId, recoveryId, actor: stranger }), {
    ok: false,
    error: 'not_found',
  })
  assert.ok((await stopRecovery(database.pool, { applicationId, recoveryId, actor })).ok)
  await continueRecoveries(deps(), () => false, 1)
  assert.equal((await resendsOf(applicationId)).rows, 2)
})

test('ended after a restore: a delivery and a resend that wait, and the recovery that would request more of them', async () => {
  const { pool } = database
  const { applicationId, command } = await scene('https://a.example/hook', [1, 2, 3, 4])
  assert.ok((await recoverWebhooks(deps(), { ...command, counted: 4 })).ok)
  await continueRecoveries(deps(), () => false, 1)
  const [due] = await addDeliveries(pool, applicationId, ['https://a.example/hook'])
  assert.deepEqual(await resendsOf(applicationId), { rows: 2, transactions: 2, waiting: 2 })
  await withTransaction(pool, async (trx) => ok(await holdAfterRestore(trx)))
  await continueRecoveries(deps(), () => false, 1)
  assert.deepEqual(await resendsOf(applicationId), { rows: 2, transactions: 2, waiting: 0 })
  assert.notEqual((await listRecoveries(pool, applicationId))[0]?.endedAt, null)
  const { rows } = await pool.query(
    `select d.state, a.outcome from webhook_deliveries d join webhook_attempts a using (application_id, transaction_id) where transaction_id = $1`,
    [due?.transactionId],
  )
  assert.deepEqual(rows, [{ state: 'exhausted', outcome: 'interrupted' }])
})
