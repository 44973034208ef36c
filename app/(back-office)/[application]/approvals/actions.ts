'use server'

import type { DecisionRefusal, DecisionResult, RecallObstacle } from '#lib/approvals/approvals.ts'
import type { BatchDecisionRefusal, BatchDecisionResult } from '#lib/approvals/batch-approval.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { batchDecisionSchema, batchRecallSchema } from '#lib/schemas/batch.ts'
import { decisionSchema, recallSchema } from '#lib/schemas/list-filter.ts'
import { decideMany } from '#server/approvals/decide.ts'
import { decideBatch } from '#server/approvals/decide-batch.ts'
import { recallBatch, recallTransaction } from '#server/approvals/recall.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'

/** One checker's decision about one transaction or a list of them; one result for each. */
export async function decideTransactions(application: string, input: unknown): Promise<ActionResult<DecisionResult[], DecisionRefusal>> {
  return runAction<typeof decisionSchema, DecisionResult[], DecisionRefusal>(
    { schema: decisionSchema, permission: 'transaction:decide', application, input },
    (checker, command) => decideMany(backOfficeRuntime(), { checker, ...command }),
  )
}

/** A maker takes back what still waits. */
export async function recallWaiting(application: string, input: unknown): Promise<ActionResult<true, RecallObstacle>> {
  return runAction<typeof recallSchema, true, RecallObstacle>(
    { schema: recallSchema, permission: 'transaction:recall', application, input },
    async (maker, { transactionId, reason }) => {
      const recalled = await recallTransaction(backOfficeRuntime(), {
        applicationId: maker.applicationId,
        transactionId,
        makerId: maker.id,
        reason,
      })
      if (recalled.ok) return ok<true>(true)
      return err(recalled.error === 'not_found' ? { code: 'not_found' as const } : recalled.error)
    },
  )
}

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
