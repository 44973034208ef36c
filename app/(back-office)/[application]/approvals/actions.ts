'use server'

import type { DecisionRefusal, DecisionResult, RecallObstacle } from '#lib/approvals/approvals.ts'
import type { BatchDecisionRefusal, BatchDecisionResult } from '#lib/approvals/batch-approval.ts'
import type { UndoObstacle } from '#lib/approvals/intended.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { batchDecisionSchema, batchRecallSchema } from '#lib/schemas/batch.ts'
import { decisionSchema, intentionSchema, recallSchema } from '#lib/schemas/list-filter.ts'
import { decideOrIntendBatch, decideOrIntendMany } from '#server/approvals/intended/intend.ts'
import { dismissRefusal, undoIntended } from '#server/approvals/intended/undo.ts'
import { recallBatch, recallTransaction } from '#server/approvals/recall.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { bindProof, freshProofSchema } from '#server/back-office/session/fresh-proof.ts'

const provenDecision = decisionSchema.extend({ proof: freshProofSchema })
const provenBatchDecision = batchDecisionSchema.extend({ proof: freshProofSchema })

/** One checker's decision about one transaction or a list of them; one result for each. */
export async function decideTransactions(application: string, input: unknown): Promise<ActionResult<DecisionResult[], DecisionRefusal>> {
  return runAction<typeof provenDecision, DecisionResult[], DecisionRefusal>(
    { schema: provenDecision, permission: 'transaction:decide', application, input },
    async (checker, command) => decideOrIntendMany(backOfficeRuntime(), { checker, ...command, proof: await bindProof(command.proof) }),
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
  return runAction<typeof provenBatchDecision, BatchDecisionResult, BatchDecisionRefusal>(
    { schema: provenBatchDecision, permission: 'transaction:decide', application, input },
    async (checker, { shownAt, ...given }) => {
      const command = { ...given, proof: await bindProof(given.proof), shownAt: new Date(shownAt) }
      const decided = await decideOrIntendBatch(backOfficeRuntime(), { checker, ...command })
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

/** A checker takes back a validation that has not taken effect. */
export async function undoDecision(application: string, input: unknown): Promise<ActionResult<true, UndoObstacle>> {
  return runAction<typeof intentionSchema, true, UndoObstacle>(
    { schema: intentionSchema, permission: 'transaction:decide', application, input },
    async ({ applicationId, id }, { intentionId }) => {
      const undone = await undoIntended(backOfficeRuntime().pool, { applicationId, personId: id, intentionId })
      return undone.ok ? undone : err(undone.error === 'not_found' ? { code: 'not_found' as const } : undone.error)
    },
  )
}

/** A checker has read why a validation was refused when it was to take effect. */
export async function dismissNotice(application: string, input: unknown): Promise<ActionResult<true>> {
  return runAction<typeof intentionSchema, true>(
    { schema: intentionSchema, permission: 'transaction:decide', application, input },
    async ({ applicationId, id }, { intentionId }) => {
      const isKnown = await dismissRefusal(backOfficeRuntime().pool, { applicationId, personId: id, intentionId })
      return isKnown ? ok<true>(true) : err({ code: 'not_found' as const })
    },
  )
}
