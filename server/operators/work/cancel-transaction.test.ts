import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { CANCELLED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { readBalances } from '#server/ledger/testing.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { OperatorHarness } from '../testing/operator-harness.ts'
import { claimAll } from '../testing/read-work.ts'
import { cancelTransaction } from './cancel-transaction.ts'

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

const wake = { operators: () => undefined, webhooks: () => undefined }

async function cancel({ applicationId, transactionId }: Pick<IntakeItem, 'applicationId' | 'transactionId'>) {
  const result = await cancelTransaction({ pool: harness.database.pool, wake }, { applicationId, transactionId, apiUserId: randomUUID() })
  return result.ok ? [result.value.status, result.value.message] : result.error
}

const CANCELLED = ['FAILED', CANCELLED_MESSAGE]

async function start(overrides: Partial<IntakeItem> = {}): Promise<IntakeItem> {
  const { pool } = harness.database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 1_000_000n)
  const item = anIntakeItem(applicationId, { operator: 'MOMOCM', type: 'DEPOSIT', amountMinor: 500_000n, ...overrides })
  await takeIn(pool, [item])
  return item
}

test('FAILED with the hold released and one webhook for what waits to be sent, and the same answer again', async () => {
  const item = await start()
  assert.deepEqual(await cancel(item), CANCELLED)
  assert.deepEqual(await cancel(item), CANCELLED)
  const { pool } = harness.database
  assert.deepEqual((await readBalances(pool, item.applicationId)).slice(0, 3), [0n, 1_000_000n, 0n])
  const { rows } = await pool.query<{ what: string }>(
    `select 'event ' || event || ' by ' || actor_kind as what from transaction_events where application_id = $1 and event <> 'created'
     union all select 'webhook' from webhook_deliveries where application_id = $1
     union all select action from audit_entries where application_id = $1 and action like 'transaction.%' order by 1`,
    [item.applicationId],
  )
  assert.deepEqual(
    rows.map(({ what }) => what),
    ['event stopped by api', 'transaction.cancelled', 'webhook'],
  )
  assert.equal(await harness.workOf(item), undefined)
})

test('FAILED for what waits for a checker, whom it can no longer reach', async () => {
  const item = await start({ bands: [aBand({})] })
  assert.equal((await harness.read(item)).status, 'PENDING_APPROVAL')
  assert.deepEqual(await cancel(item), CANCELLED)
})

test('already_sent from the claim of a submission on, also when its process has died; final once the result is there', async () => {
  const item = await start()
  await claimAll(harness.database.pool, 'MOMOCM', 5, 1)
  assert.equal(await cancel(item), 'already_sent')
  await transition(harness.database.pool, [{ ...item, event: 'succeeded', actor: SYSTEM_ACTOR }])
  assert.equal(await cancel(item), 'final')
  assert.equal((await harness.read(item)).status, 'SUCCESS')
})

test('FAILED for what waits in a batch that people paused; already_sent for what ends by itself without a call', async () => {
  const [paused, unfunded] = [await start(), await start()]
  const { pool } = harness.database
  const set = (item: IntakeItem, state: string) =>
    pool.query("update operator_work set state = $2, next_at = 'infinity' where transaction_id = $1", [item.transactionId, state])
  await set(paused, 'paused')
  await set(unfunded, 'unfunded')
  assert.deepEqual(await cancel(paused), CANCELLED)
  assert.equal(await cancel(unfunded), 'already_sent')
  await set(unfunded, 'queued')
  assert.deepEqual(await cancel(unfunded), CANCELLED)
})

test('already_sent for what was sent before and waits to be sent again', async () => {
  const item = await start()
  await claimAll(harness.database.pool, 'MOMOCM', 5, 1)
  await harness.database.pool.query("update operator_work set state = 'queued', is_claimed = false where transaction_id = $1", [
    item.transactionId,
  ])
  assert.equal(await cancel(item), 'already_sent')
})

test('not_started_by_program for a payment of a person, not_found in another application', async () => {
  const { pool } = harness.database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 1_000_000n)
  const item = anIntakeItem(applicationId, { operator: 'MOMOCM', source: 'person', makerId: randomUUID(), bands: [aBand({})] })
  await takeIn(pool, [item])
  assert.equal(await cancel(item), 'not_started_by_program')
  assert.equal(await cancel({ ...item, applicationId: await makeApplication(pool) }), 'not_found')
})

test('no difference, and each payment either cancelled or executed, when cancellations meet a dispatcher', async () => {
  const items: IntakeItem[] = []
  const applicationId = await makeApplication(harness.database.pool)
  await fund(harness.database.pool, applicationId, 'MOMOCM', 100_000_000n)
  for (let count = 0; count < 60; count++)
    items.push(anIntakeItem(applicationId, { operator: 'MOMOCM', type: 'DEPOSIT', amountMinor: 100_00n }))
  await takeIn(harness.database.pool, items)
  harness.startDispatcher()
  const answers = await Promise.all(items.map(cancel))
  const books = await (async () => {
    for (const item of items) await harness.untilFinal(item)
    return harness.books()
  })()
  for (const [index, item] of items.entries()) {
    const isCancelled = Array.isArray(answers[index])
    assert.equal((await harness.read(item)).status, isCancelled ? 'FAILED' : 'SUCCESS')
    assert.equal(books.get(item.transactionId)?.timesExecuted ?? 0, isCancelled ? 0 : 1)
  }
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
  assert.deepEqual(await verifyBooks(harness.database.pool), [])
})
