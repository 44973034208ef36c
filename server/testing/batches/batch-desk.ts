import assert from 'node:assert/strict'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { selectBatch } from '#server/approvals/batch-store.ts'
import { type DecideBatchCommand, decideBatch } from '#server/approvals/decide-batch.ts'
import { listApprovals } from '#server/approvals/queue/queue.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { makeFileBatch } from './file-batch.ts'

export type BatchDesk = Awaited<ReturnType<typeof openBatchDesk>>

/** A funded application with a maker, who is a checker too, and the checkers Ada and Ben; and what they do with batches. */
export async function openBatchDesk() {
  const database = await createTestDatabase()
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000_000n)
  const makerId = await makePerson(pool, applicationId, ['maker', 'checker'])
  const ada = await makePerson(pool, applicationId, ['checker'])
  const ben = await makePerson(pool, applicationId, ['checker'])

  const viewer = (id: string) => ({ applicationId, id, hasSecondFactor: true })

  async function show(batchId: string, personId: string) {
    const batch = await selectBatch(pool, viewer(personId), batchId)
    assert.ok(batch)
    return batch
  }

  return {
    pool,
    applicationId,
    makerId,
    ada,
    ben,
    viewer,
    show,

    makeBatch: (options: Omit<Parameters<typeof makeFileBatch>[1], 'applicationId' | 'makerId'>) =>
      makeFileBatch(pool, { applicationId, makerId, ...options }),

    /** Decides about what is shown now, unless the overrides say otherwise. */
    async say(batchId: string, personId: string, overrides: Partial<DecideBatchCommand> = {}) {
      const { hash, shownAt } =
        overrides.hash && overrides.shownAt ? { hash: overrides.hash, shownAt: overrides.shownAt } : await show(batchId, personId)
      return decideBatch(decisionDeps(pool), {
        checker: viewer(personId),
        batchId,
        decision: 'validated',
        note: 'Seen',
        excluded: [],
        hash,
        shownAt,
        ...overrides,
      })
    },

    queue: (personId: string, filter: object) =>
      listApprovals(pool, { ...viewer(personId), businessZone: 'UTC' }, approvalFilterSchema.parse(filter)),

    async statusesOf(batchId: string): Promise<Record<string, number>> {
      const { rows } = await pool.query<{ status: string; count: number }>(
        'select status, count(*)::integer as count from transactions where application_id = $1 and batch_id = $2 group by status',
        [applicationId, batchId],
      )
      return Object.fromEntries(rows.map((row) => [row.status, row.count]))
    },

    async close() {
      assert.deepEqual(await verifyBooks(pool), [])
      await database.drop()
    },
  }
}
