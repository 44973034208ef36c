'use server'

import type { ActionResult } from '#lib/action-result.ts'
import type { DecisionRefusal, DecisionResult, RecallObstacle } from '#lib/approvals.ts'
import { err, ok } from '#lib/result.ts'
import { decisionSchema, recallSchema } from '#lib/schemas/approval-filter.ts'
import { decideMany } from '#server/approvals/decide-many.ts'
import { recallTransaction } from '#server/approvals/recall-transaction.ts'
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
