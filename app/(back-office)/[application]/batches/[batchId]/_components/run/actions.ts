'use server'

import type { ActionResult } from '#lib/action-result.ts'
import { err } from '#lib/result.ts'
import { batchResumeSchema, batchRunSchema } from '#lib/schemas/batch-decision.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { type RetryFailure, retryBatch } from '#server/batches/retry-batch.ts'
import { type BatchRunFailure, pauseBatch, resumeBatch, stopBatch } from '#server/operators/control-batch.ts'
import { queryFailures } from '#server/operators/query-failures.ts'
import { synchroniseTransaction } from '#server/operators/synchronise-transaction.ts'

type RunResult = Promise<ActionResult<{ count: number }, BatchRunFailure>>

function personOf(actor: BackOfficeActor) {
  return { kind: 'person' as const, id: actor.id, applicationId: actor.applicationId, roles: actor.roles }
}

/** Rows that were not sent wait until somebody resumes the batch. */
export async function pauseRun(application: string, input: unknown): RunResult {
  return runAction<typeof batchRunSchema, { count: number }, BatchRunFailure>(
    { schema: batchRunSchema, permission: 'batch:control', application, input },
    (actor, command) => pauseBatch(backOfficeRuntime(), { ...command, applicationId: actor.applicationId, person: personOf(actor) }),
  )
}

/** Sends on what was paused. */
export async function resumeRun(application: string, input: unknown): RunResult {
  return runAction<typeof batchResumeSchema, { count: number }, BatchRunFailure>(
    { schema: batchResumeSchema, permission: 'batch:control', application, input },
    (actor, command) => resumeBatch(backOfficeRuntime(), { ...command, applicationId: actor.applicationId, person: personOf(actor) }),
  )
}

/** Ends every row that was never sent. */
export async function stopRun(application: string, input: unknown): RunResult {
  return runAction<typeof batchRunSchema, { count: number }, BatchRunFailure>(
    { schema: batchRunSchema, permission: 'batch:control', application, input },
    (actor, command) => stopBatch(backOfficeRuntime(), { ...command, applicationId: actor.applicationId, person: personOf(actor) }),
  )
}

/** Prepares a batch of the rows that failed. */
export async function retryRun(
  application: string,
  input: unknown,
): Promise<ActionResult<{ batchId: string; rows: number; leftOut: number }, RetryFailure>> {
  return runAction<typeof batchResumeSchema, { batchId: string; rows: number; leftOut: number }, RetryFailure>(
    { schema: batchResumeSchema, permission: 'transaction:create', application, input },
    async (actor, { batchId }) => {
      const { pool, directory, connectors, forcedQueries } = backOfficeRuntime()
      const snapshot = directory.find(actor.applicationId)
      if (!snapshot) return err('not_found')
      const { applicationId } = actor
      return retryBatch(
        {
          pool,
          connectors,
          synchronise: (transactionId) =>
            synchroniseTransaction(forcedQueries, { applicationId, transactionId, actor: { kind: 'person', id: actor.id } }),
          queryFailures: (rows) => queryFailures(forcedQueries, rows),
        },
        { application: snapshot, actor: personOf(actor), batchId },
      )
    },
  )
}
