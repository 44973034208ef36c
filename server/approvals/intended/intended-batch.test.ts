import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BatchDesk, openBatchDesk } from '#server/testing/batches/batch-desk.ts'
import { aBand, decisionDeps } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { recallBatch } from '../recall.ts'
import { carryOutNext } from './carry-out.ts'
import { decideOrIntendBatch } from './intend.ts'
import { listIntended, undoIntended } from './undo.ts'

let desk: BatchDesk
before(async () => {
  desk = await openBatchDesk()
  await desk.pool.query('update applications set undo_seconds = 60 where application_id = $1', [desk.applicationId])
})
after(() => desk.close())

type Excluded = { transactionId: string; reason: string }[]

async function validate(batchId: string, personId: string, { excluded = [], hash }: { excluded?: Excluded; hash?: string } = {}) {
  const shown = await desk.show(batchId, personId)
  const command = {
    checker: desk.viewer(personId),
    batchId,
    decision: 'validated' as const,
    note: 'Seen',
    excluded,
    shownAt: shown.shownAt,
  }
  return decideOrIntendBatch(decisionDeps(desk.pool), { ...command, hash: hash ?? shown.hash })
}

async function carryOut(): Promise<void> {
  await desk.pool.query("update intended_decisions set due_at = clock_timestamp() where state = 'waiting'")
  assert.equal(await carryOutNext(decisionDeps(desk.pool)), true)
}

async function newest(personId: string) {
  return (await listIntended(desk.pool, desk.viewer(personId)))[0] ?? assert.fail('nothing is intended')
}

test('sent without the rows that were left out, each with its reason, once a validated batch is due', async () => {
  const { batchId, items } = await desk.makeBatch({ count: 5 })
  const excluded = [{ transactionId: items[1]?.transactionId ?? '', reason: 'Paid in cash' }]
  const intended = must(await validate(batchId, desk.ada, { excluded }))
  assert.equal(intended.kind, 'intended')
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 5 })
  assert.deepEqual(await validate(batchId, desk.ada), { ok: false, error: 'intended_already' })
  await carryOut()
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING: 4, FAILED: 1 })
  const { rows } = await desk.pool.query('select message from transactions where transaction_id = $1', [items[1]?.transactionId])
  assert.deepEqual(rows, [{ message: 'Paid in cash' }])
  assert.equal((await newest(desk.ada)).state, 'carried_out')
})

test('as before: a batch whose validation was undone, which a colleague may decide meanwhile', async () => {
  const { batchId } = await desk.makeBatch({ count: 3 })
  must(await validate(batchId, desk.ada))
  const { intentionId, batch } = await newest(desk.ada)
  assert.equal(batch?.batchId, batchId)
  must(await undoIntended(desk.pool, { applicationId: desk.applicationId, personId: desk.ada, intentionId }))
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 3 })
  must(await validate(batchId, desk.ada))
  must(await desk.say(batchId, desk.ben, { decision: 'rejected', note: 'Wrong month' }))
  await carryOut()
  assert.deepEqual(await desk.statusesOf(batchId), { FAILED: 3 })
  assert.deepEqual([(await newest(desk.ada)).state, (await newest(desk.ada)).refusal], ['refused', 'changed'])
})

test('refused at once, with nothing stored: what has changed, and what leaves out rows of no batch', async () => {
  const { batchId } = await desk.makeBatch({ count: 2 })
  const wrong = must(await validate(batchId, desk.ben, { hash: '0'.repeat(64) }))
  assert.equal(wrong.kind, 'changed')
  const other = await desk.makeBatch({ count: 1 })
  const foreign = must(
    await validate(batchId, desk.ben, { excluded: [{ transactionId: other.items[0]?.transactionId ?? '', reason: 'No' }] }),
  )
  assert.equal(foreign.kind, 'changed')
  assert.deepEqual(await validate(batchId, desk.makerId), { ok: false, error: 'is_maker' })
  assert.deepEqual(await listIntended(desk.pool, desk.viewer(desk.ben)), [])
  const { rows } = await desk.pool.query('select 1 from approval_decisions where batch_id = $1', [batchId])
  assert.deepEqual(rows, [])
})

test('told and not sent: a batch that its maker recalled before it was due', async () => {
  const { batchId } = await desk.makeBatch({ count: 2 })
  must(await validate(batchId, desk.ada))
  const deps = decisionDeps(desk.pool)
  must(await recallBatch(deps, { applicationId: desk.applicationId, batchId, makerId: desk.makerId, reason: 'Wrong month' }))
  await carryOut()
  assert.equal((await newest(desk.ada)).refusal, 'changed')
  assert.deepEqual(await desk.statusesOf(batchId), { FAILED: 2 })
})

test('code_required at once for a batch that needs one, before anything is intended', async () => {
  const { batchId } = await desk.makeBatch({ count: 2, change: () => ({ bands: [aBand({ needsCode: true })] }) })
  assert.deepEqual(await validate(batchId, desk.ben), { ok: false, error: 'code_required' })
  assert.deepEqual(await listIntended(desk.pool, desk.viewer(desk.ben)), [])
})

test('how many rows wait for another approval, before and after a batch of two approvals takes effect', async () => {
  const { batchId } = await desk.makeBatch({ count: 3, change: () => ({ bands: [aBand({ steps: [2] })] }) })
  must(await validate(batchId, desk.ada))
  assert.equal((await newest(desk.ada)).stillWaiting, 3)
  await carryOut()
  assert.deepEqual([(await newest(desk.ada)).state, (await newest(desk.ada)).stillWaiting], ['carried_out', 3])
  must(await validate(batchId, desk.ben))
  assert.equal((await newest(desk.ben)).stillWaiting, 0)
  await carryOut()
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING: 3 })
  assert.equal((await newest(desk.ben)).stillWaiting, 0)
})
