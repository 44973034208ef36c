import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BatchDesk, openBatchDesk } from '#server/testing/batches/batch-desk.ts'
import { aBand, decisionDeps } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { createSettler } from '#server/transactions/transition.ts'
import { expireApprovals } from './expire-approvals.ts'
import { recallBatch } from './recall.ts'

let desk: BatchDesk
before(async () => {
  desk = await openBatchDesk()
})
after(() => desk.close())

test('one decision for two checkers at once, and what the other did for the loser', async () => {
  for (let round = 0; round < 5; round++) {
    const { batchId } = await desk.makeBatch({ count: 20 })
    const { hash, shownAt } = await desk.show(batchId, desk.ada)
    const answers = await Promise.all(
      [desk.ada, desk.ben].map((checker, index) =>
        desk.say(batchId, checker, { hash, shownAt, decision: index === round % 2 ? 'validated' : 'rejected' }),
      ),
    )
    const done = answers.filter((answer) => answer.ok && answer.value.kind === 'done')
    const lost = answers.filter((answer) => (answer.ok ? answer.value.kind === 'changed' : answer.error === 'not_waiting'))
    assert.deepEqual([done.length, lost.length], [1, 1])
    assert.equal(Object.keys(await desk.statusesOf(batchId)).length, 1)
  }
})

test('both approvals counted when two checkers approve a batch of two at once', async () => {
  const { batchId } = await desk.makeBatch({
    count: 5,
    change: () => ({ bands: [aBand({ steps: [2] })] }),
  })
  const { hash, shownAt } = await desk.show(batchId, desk.ada)
  const answers = await Promise.all([desk.ada, desk.ben].map((checker) => desk.say(batchId, checker, { hash, shownAt })))
  assert.equal(answers.filter((answer) => answer.ok && answer.value.kind === 'changed').length, 1)
  const loser = answers[0]?.ok && answers[0].value.kind === 'changed' ? desk.ada : desk.ben
  assert.equal(must(await desk.say(batchId, loser)).kind, 'done')
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING: 5 })
})

test('one end per row when decisions, a recall and expiry race for a batch', async () => {
  const { pool } = desk
  const { batchId } = await desk.makeBatch({ count: 60 })
  const { hash, shownAt } = await desk.show(batchId, desk.ada)
  await pool.query(
    `update approval_items i set expires_at = now() + interval '5 milliseconds' from transactions t
     where t.transaction_id = i.transaction_id and t.batch_id = $1 and t.sequence % 3 = 0`,
    [batchId],
  )
  const deps = decisionDeps(pool)
  await Promise.all([
    desk.say(batchId, desk.ada, { hash, shownAt }),
    desk.say(batchId, desk.ben, { decision: 'rejected' }),
    recallBatch(deps, { applicationId: desk.applicationId, batchId, makerId: desk.makerId, reason: 'Late' }),
    ...Array.from({ length: 3 }, () => expireApprovals({ pool, settler: createSettler({ pool }), logger: deps.logger })),
  ])
  const { rows } = await pool.query<{ ends: number }>(
    `select count(*)::integer as ends from transactions t join transaction_events e using (application_id, transaction_id)
     where t.batch_id = $1 and e.from_status = 'PENDING_APPROVAL' group by t.transaction_id having count(*) > 1`,
    [batchId],
  )
  assert.deepEqual(rows, [])
})
