import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { readResendObstacle } from './resend-webhook.ts'
import { addDelivery, deliver, historyOf, personOf, resend } from './testing/resends.ts'
import { closeEverything, type Receiver, startReceiver } from './testing.ts'

let database: TestDatabase
let well: Receiver
let broken: Receiver
before(async () => {
  database = await createTestDatabase()
  well = await startReceiver((response) => response.end())
  broken = await startReceiver((response) => response.writeHead(500).end())
})
after(async () => {
  await closeEverything()
  await database.drop()
})

test('origin and requestedBy are in the history of each attempt', async () => {
  const item = await addDelivery(database.pool, broken.url, 'exhausted')
  const personId = randomUUID()
  await database.pool.query("insert into people (person_id, email, name, password_hash) values ($1, $2, 'Awa Ndiaye', 'x')", [
    personId,
    `${personId}@partner.example`,
  ])
  await resend(database.pool, item, personOf(item.applicationId, ['maker'], personId))
  const { waitingResend } = await historyOf(database.pool, item)
  assert.equal(waitingResend?.requestedBy, 'Awa Ndiaye')
  await deliver(database.pool, item)
  const { attempts } = await historyOf(database.pool, item)
  assert.deepEqual(
    attempts.map(({ number, origin, requestedBy }) => [number, origin, requestedBy]),
    [...[1, 2, 3, 4].map((number) => [number, 'automatic', null]), [5, 'person', 'Awa Ndiaye']],
  )
})

test('one audit entry with the person and the state of the delivery is stored with a resend', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  const actor = personOf(item.applicationId)
  await resend(database.pool, item, actor)
  const { rows } = await database.pool.query(
    'select actor_kind, actor_id, action, subject, details from audit_entries where application_id = $1',
    [item.applicationId],
  )
  assert.deepEqual(rows, [
    {
      actor_kind: 'person',
      actor_id: actor.id,
      action: 'webhook.resend_requested',
      subject: item.transactionId,
      details: { resendNumber: 1, state: 'exhausted' },
    },
  ])
})

test('no resend is stored if its audit entry cannot be written', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  await database.pool.query(
    `create trigger no_entries before insert on audit_entries for each row when (new.application_id = '${item.applicationId}') execute function refuse_change()`,
  )
  await assert.rejects(resend(database.pool, item))
  assert.equal((await historyOf(database.pool, item)).waitingResend, null)
})

test('the loop is woken by a request that was recorded', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  let wakes = 0
  await resend(database.pool, item, undefined, () => wakes++)
  assert.equal(wakes, 1)
})

test('resend_waiting for the second of two requests while the first has no outcome', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  assert.ok((await resend(database.pool, item)).ok)
  assert.deepEqual(await resend(database.pool, item), { ok: false, error: 'resend_waiting' })
})

test('resend_waiting for all but one of ten requests at the same moment, and one audit entry', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  const results = await Promise.all(Array.from({ length: 10 }, () => resend(database.pool, item)))
  assert.equal(results.filter((result) => result.ok).length, 1)
  assert.ok(results.every((result) => result.ok || result.error === 'resend_waiting'))
  const { rows } = await database.pool.query('select 1 from audit_entries where application_id = $1', [item.applicationId])
  assert.equal(rows.length, 1)
})

test('attempt_in_progress while an automatic attempt is leased', async () => {
  const item = await addDelivery(database.pool, well.url, 'due')
  await database.pool.query('delete from webhook_attempts where transaction_id = $1', [item.transactionId])
  await database.pool.query("update webhook_deliveries set claimed_until = now() + interval '30 seconds' where transaction_id = $1", [
    item.transactionId,
  ])
  assert.deepEqual(await resend(database.pool, item), { ok: false, error: 'attempt_in_progress' })
})

test('not_permitted for a checker', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  assert.deepEqual(await resend(database.pool, item, personOf(item.applicationId, ['checker'])), { ok: false, error: 'not_permitted' })
})

test('not_permitted for a person of another application', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  assert.deepEqual(await resend(database.pool, item, personOf(randomUUID(), ['administrator'])), { ok: false, error: 'not_permitted' })
})

test('no_delivery for a transaction that is not final or not known', async () => {
  const item = { applicationId: randomUUID(), transactionId: randomUUID(), externalId: randomUUID() }
  assert.deepEqual(await resend(database.pool, item), { ok: false, error: 'no_delivery' })
})

test('throttled after ten resends of one transaction, until the first of them is an hour old', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  await database.pool.query(
    `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at, started_at, duration_ms, outcome)
       select $1, $2, n, 'http://x', $1, now() - interval '50 minutes' + n * interval '1 second', now(), now(), 1, 'bad_status'
         from generate_series(1, 10) as n`,
    [item.applicationId, item.transactionId],
  )
  const refused = await resend(database.pool, item)
  assert.ok(!refused.ok && typeof refused.error === 'object')
  const { code, retryAfterMs } = refused.error
  assert.ok(code === 'throttled' && retryAfterMs > 9.9 * 60_000 && retryAfterMs <= 10.1 * 60_000, `${retryAfterMs} ms`)
  await database.pool.query(
    "update webhook_resends set requested_at = now() - interval '61 minutes' where transaction_id = $1 and number = 1",
    [item.transactionId],
  )
  assert.ok((await resend(database.pool, item)).ok)
})

test('null, then resend_waiting is the obstacle that a page reads before and after a request', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  assert.equal(await readResendObstacle(database.pool, item), null)
  await resend(database.pool, item)
  assert.equal(await readResendObstacle(database.pool, item), 'resend_waiting')
})
