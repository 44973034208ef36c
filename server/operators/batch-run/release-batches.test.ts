import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { err, ok } from '#lib/result.ts'
import { recallBatch } from '#server/approvals/recall.ts'
import { insertRelease } from '#server/batches/batch-store.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readBatchRun } from '#server/reports/batches/read-batch-run.ts'
import { type BatchDesk, openBatchDesk } from '#server/testing/batches/batch-desk.ts'
import { must } from '#server/testing/partner.ts'
import { NO_LOOPS } from '#server/transactions/transition.ts'
import { releaseRun } from './batch-run-store.ts'
import { pauseBatch, planBatch, releaseTimedBatches, resumeBatch, stopBatch } from './control-batch.ts'

let desk: BatchDesk
before(async () => {
  desk = await openBatchDesk()
})
after(() => desk.close())

const deps = () => ({ pool: desk.pool, wake: NO_LOOPS })
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
const person = (id: string, roles: Role[]) => ({ kind: 'person' as const, id, applicationId: desk.applicationId, roles })
const maker = () => person(desk.makerId, ['maker', 'checker'])
const ada = () => person(desk.ada, ['checker'])

function plan(batchId: string, releaseAt: Date) {
  const release = { applicationId: desk.applicationId, batchId, personId: desk.makerId, releaseAt }
  return withTransaction<true, 'wrong_time'>(desk.pool, async (trx) => ((await insertRelease(trx, release)) ? ok(true) : err('wrong_time')))
}

async function makePlanned(hours = 5): Promise<{ applicationId: string; batchId: string }> {
  const { batchId } = await desk.makeBatch({ count: 3 })
  must(await plan(batchId, inHours(hours)))
  return { applicationId: desk.applicationId, batchId }
}

/** The work of the rows by state, and how many may be claimed now. */
async function workOf(batchId: string) {
  const { rows } = await desk.pool.query(
    `select w.state, count(*)::integer as count, count(*) filter (where w.next_at <= clock_timestamp())::integer as due
     from operator_work w join transactions t using (application_id, transaction_id) where t.batch_id = $1 group by 1`,
    [batchId],
  )
  return rows
}

/** Moves the chosen time, in place of waiting for it. */
async function comeTo(batchId: string, agoSeconds: number): Promise<void> {
  await desk.pool.query("update batch_runs set release_at = clock_timestamp() - $2 * interval '1 second' where batch_id = $1", [
    batchId,
    agoSeconds,
  ])
}

const read = (batchId: string) => readBatchRun(desk.pool, { applicationId: desk.applicationId, id: desk.ada, roles: ['checker'] }, batchId)

test('held with its money when it is approved before its time, never sent early, and sent once by two processes at its time', async () => {
  const { batchId } = await makePlanned()
  must(await desk.say(batchId, desk.ada))
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING: 3 })
  const held = await desk.pool.query('select count(*)::integer as count from transactions where batch_id = $1 and held_minor > 0', [
    batchId,
  ])
  assert.deepEqual(held.rows, [{ count: 3 }])
  assert.equal(await releaseTimedBatches(deps()), 0, 'its time has not come')
  assert.deepEqual(await workOf(batchId), [{ state: 'paused', count: 3, due: 0 }])
  assert.equal((await read(batchId))?.release?.releasedAt, null)
  await comeTo(batchId, 0)
  const released = await Promise.all([releaseTimedBatches(deps()), releaseTimedBatches(deps())])
  assert.deepEqual(released.toSorted(), [0, 1])
  assert.deepEqual(await workOf(batchId), [{ state: 'queued', count: 3, due: 3 }])
  assert.equal(await releaseTimedBatches(deps()), 0)
  const entries = await desk.pool.query(
    "select actor_kind, details ->> 'rows' as rows from audit_entries where action = 'batch.released' and subject = $1",
    [batchId],
  )
  assert.deepEqual(entries.rows, [{ actor_kind: 'system', rows: '3' }])
  assert.equal((await read(batchId))?.release?.isLate, false)
})

test('sent, and said to be late, more than 15 minutes after its time', async () => {
  const { batchId } = await makePlanned()
  must(await desk.say(batchId, desk.ada))
  await comeTo(batchId, 16 * 60)
  assert.equal(await releaseTimedBatches(deps()), 1)
  const run = await read(batchId)
  assert.deepEqual([run?.release?.isLate, run?.state], [true, 'running'])
})

test('sent as soon as it is approved after its time, which a checker who saw the time is shown first', async () => {
  const { batchId } = await makePlanned()
  const shown = await desk.show(batchId, desk.ada)
  assert.ok(shown.releaseAt)
  await comeTo(batchId, 1)
  assert.equal(await releaseTimedBatches(deps()), 1)
  const stale = must(await desk.say(batchId, desk.ada, { hash: shown.hash, shownAt: shown.shownAt }))
  assert.equal(stale.kind, 'changed')
  must(await desk.say(batchId, desk.ada))
  assert.deepEqual(await workOf(batchId), [{ state: 'queued', count: 3, due: 3 }])
})

test('wrong_time in the past and beyond 30 days, at the submission and after it', async () => {
  const { batchId } = await desk.makeBatch({ count: 1 })
  for (const hours of [-1, 30 * 24 + 1]) assert.deepEqual(await plan(batchId, inHours(hours)), { ok: false, error: 'wrong_time' })
  const planned = await makePlanned()
  for (const hours of [-1, 30 * 24 + 1])
    assert.deepEqual(await planBatch(deps(), { ...planned, person: ada(), releaseAt: inHours(hours) }), { ok: false, error: 'wrong_time' })
})

test('not_yours for a maker who sends, or plans earlier, what was approved for a later time, also by way of a pause of their own', async () => {
  const planned = await makePlanned(5)
  // Until it is approved the maker may choose: the checker is shown the new time.
  const before = await desk.show(planned.batchId, desk.ada)
  must(await planBatch(deps(), { ...planned, person: maker(), releaseAt: inHours(4) }))
  assert.notEqual((await desk.show(planned.batchId, desk.ada)).hash, before.hash)
  must(await desk.say(planned.batchId, desk.ada))
  const notYours = { ok: false, error: 'not_yours' }
  assert.deepEqual(await resumeBatch(deps(), { ...planned, person: maker() }), notYours)
  assert.deepEqual(await planBatch(deps(), { ...planned, person: maker(), releaseAt: inHours(1) }), notYours)
  must(await planBatch(deps(), { ...planned, person: maker(), releaseAt: inHours(6) }))
  must(await pauseBatch(deps(), { ...planned, person: maker(), reason: 'Wait' }))
  assert.deepEqual(await resumeBatch(deps(), { ...planned, person: maker() }), notYours)
  assert.deepEqual(await planBatch(deps(), { ...planned, person: maker(), releaseAt: inHours(1) }), notYours)
  assert.deepEqual(await workOf(planned.batchId), [{ state: 'paused', count: 3, due: 0 }])
  // Held without a time, nothing sends it but a person who may.
  await comeTo(planned.batchId, 60)
  assert.equal(await releaseTimedBatches(deps()), 0)
  must(await resumeBatch(deps(), { ...planned, person: ada() }))
  assert.deepEqual(await workOf(planned.batchId), [{ state: 'queued', count: 3, due: 3 }])
})

test('sent at once by a checker, ended by a stop, and taken back by its maker before the approval: none is sent again at the time', async () => {
  const now = await makePlanned()
  must(await desk.say(now.batchId, desk.ada))
  must(await resumeBatch(deps(), { ...now, person: ada() }))
  const stopped = await makePlanned()
  must(await desk.say(stopped.batchId, desk.ada))
  must(await stopBatch(deps(), { ...stopped, person: maker(), reason: 'Wrong file' }))
  assert.deepEqual(await planBatch(deps(), { ...stopped, person: ada(), releaseAt: inHours(1) }), { ok: false, error: 'stopped' })
  const recalled = await makePlanned()
  must(await recallBatch(deps(), { applicationId: desk.applicationId, batchId: recalled.batchId, makerId: desk.makerId, reason: 'Wrong' }))
  for (const { batchId } of [now, stopped, recalled]) await comeTo(batchId, 1)
  await releaseTimedBatches(deps())
  assert.deepEqual(await workOf(now.batchId), [{ state: 'queued', count: 3, due: 3 }])
  assert.deepEqual([await desk.statusesOf(stopped.batchId), await desk.statusesOf(recalled.batchId)], [{ FAILED: 3 }, { FAILED: 3 }])
  const elsewhere = { ...now, batchId: randomUUID(), person: ada() }
  assert.deepEqual(await planBatch(deps(), { ...elsewhere, releaseAt: inHours(1) }), { ok: false, error: 'not_found' })
})

test('kept until its new time: a batch whose maker chose a later one after the task had listed it', async () => {
  const { applicationId, batchId } = await makePlanned()
  const released = await withTransaction(desk.pool, async (trx) => ok(await releaseRun(trx, applicationId, batchId)))
  assert.deepEqual(released, { ok: true, value: undefined })
  assert.equal((await read(batchId))?.state, 'waiting')
})
