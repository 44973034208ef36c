'use server'

import type { ActionResult } from '#lib/action-result.ts'
import type { RecallObstacle } from '#lib/approvals.ts'
import type { BatchDecisionRefusal, BatchDecisionResult } from '#lib/batch-approval.ts'
import { err } from '#lib/result.ts'
import { batchDecisionSchema, batchRecallSchema } from '#lib/schemas/batch-decision.ts'
import { decideBatch } from '#server/approvals/decide-batch.ts'
import { recallBatch } from '#server/approvals/recall-batch.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'

/** One checker's decision about a whole batch. */
export async function decideWholeBatch(
  application: string,
  input: unknown,
): Promise<ActionResult<BatchDecisionResult, BatchDecisionRefusal>> {
  return runAction<typeof batchDecisionSchema, BatchDecisionResult, BatchDecisionRefusal>(
    { schema: batchDecisionSchema, permission: 'transaction:decide', application, input },
    async (checker, { shownAt, ...command }) => {
      const decided = await decideBatch(backOfficeRuntime(), { checker, ...command, shownAt: new Date(shownAt) })
      return decided.ok ? decided : err(decided.error === 'not_found' ? { code: 'not_found' as const } : decided.error)
    },
  )
}

/** A maker takes back everything of a batch that still waits. */
export async function recallWholeBatch(
  application: string,
  input: unknown,
): Promise<ActionResult<{ count: number }, RecallObstacle | 'submitting'>> {
  return runAction<typeof batchRecallSchema, { count: number }, RecallObstacle | 'submitting'>(
    { schema: batchRecallSchema, permission: 'transaction:recall', application, input },
    async (maker, { batchId, reason }) => {
      const recalled = await recallBatch(backOfficeRuntime(), { applicationId: maker.applicationId, batchId, makerId: maker.id, reason })
      return recalled.ok ? recalled : err(recalled.error === 'not_found' ? { code: 'not_found' as const } : recalled.error)
    },
  )
}
