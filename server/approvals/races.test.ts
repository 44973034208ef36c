import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { createIntake, takeIn } from '#server/transactions/intake.ts'
import { createSettler, SYSTEM_ACTOR } from '#server/transactions/transition.ts'
import { decide } from './decide.ts'
import { expireApprovals } from './expire-approvals.ts'
import { recallTransaction } from './recall.ts'

test('one result per item and balanced books when decisions, recalls, expiry, results and intake race for one balance', async () => {
  const database = await createTestDatabase()
  const { pool } = database
  try {
    const applicationId = await makeApplication(pool)
    // Covers about half of the deposits.
    await fund(pool, applicationId, 'MOMOCM', 30_000_000n)
    const makerId = await makePerson(pool, applicationId, ['maker'])
    const checkers = await Promise.all([1, 2, 3].map(() => makePerson(pool, applicationId, ['checker'])))
    const items = Array.from({ length: 60 }, (_, n) =>
      anIntakeItem(applicationId, { source: 'person', makerId, bands: [aBand({ steps: n % 2 ? [2] : [1] })] }),
    )
    await takeIn(pool, items)
    const overdue = items.slice(0, 12).map((item) => item.transactionId)
    await pool.query(
      "update approval_items set expires_at = now() + n * interval '20 milliseconds' from unnest($1::uuid[]) with ordinality as o (id, n) where transaction_id = o.id",
      [overdue],
    )
    const settler = createSettler({ pool, batchMax: 8 })
    const intake = createIntake({ pool, batchMax: 8 })
    const deps = decisionDeps(pool)
    const ended = new Map<string, string[]>()
    const note = (id: string, end: string) => ended.set(id, [...(ended.get(id) ?? []), end])
    await Promise.all([
      ...items.flatMap(({ transactionId }, n) => [
        ...checkers.map(async (checkerId) => {
          const decision = n % 7 === 0 ? 'rejected' : 'validated'
          const actor = { kind: 'person', id: checkerId } as const
          const result = await decide(deps, {
            applicationId,
            transactionId,
            checkerId,
            decision,
            note: 'Seen',
            through: 'back_office',
            actor,
          })
          if (result.ok && result.value.status !== 'PENDING_APPROVAL') note(transactionId, decision)
        }),
        recallTransaction(deps, { applicationId, transactionId, makerId, reason: 'Wrong' }).then(
          (result) => result.ok && note(transactionId, 'recalled'),
        ),
        settler.settle({ applicationId, transactionId, event: 'succeeded', actor: SYSTEM_ACTOR }),
      ]),
      ...Array.from({ length: 5 }, () => expireApprovals({ pool, settler, logger: deps.logger })),
      ...Array.from({ length: 60 }, () => intake.submit(anIntakeItem(applicationId))),
    ])
    await pool.query('update approval_items set expires_at = now() where application_id = $1', [applicationId])
    await expireApprovals({ pool, settler, logger: deps.logger })
    const { rows } = await pool.query<{ id: string; status: string; ends: string[] }>(
      `select t.transaction_id as id, t.status, array(select e.event from transaction_events e where e.application_id = t.application_id
         and e.transaction_id = t.transaction_id and e.from_status = 'PENDING_APPROVAL') as ends
       from transactions t join approval_items i using (application_id, transaction_id) where t.application_id = $1`,
      [applicationId],
    )
    assert.equal(rows.length, items.length)
    for (const { id, status, ends } of rows) {
      assert.equal(ends.length, 1, `${id} is ${status} after ${ends.join()}`)
      const told = ended.get(id) ?? []
      assert.deepEqual(told, ends[0] === 'expired' ? [] : [ends[0] === 'approved' ? 'validated' : ends[0]])
    }
    assert.deepEqual(await verifyBooks(pool), [])
  } finally {
    await database.drop()
  }
})
