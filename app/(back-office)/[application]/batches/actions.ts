'use server'

import type { z } from 'zod'
import { type ActionResult, err, type Result } from '#lib/result.ts'
import {
  assignColumnsSchema,
  batchReleaseSchema,
  batchRepeatSchema,
  batchResumeSchema,
  batchRunSchema,
  checkNamesSchema,
  decideRepairSchema,
  discardBatchSchema,
  editRowsSchema,
  excludeRowsSchema,
  submitBatchSchema,
} from '#lib/schemas/batch.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import type { ChangeFailure } from '#server/batches/change-batch.ts'
import {
  assignColumns as assignColumnsCommand,
  decideRepair as decideRepairCommand,
  discardBatch as discardBatchCommand,
  excludeRows as excludeRowsCommand,
} from '#server/batches/edit-batch.ts'
import { type RetryFailure, retryBatch } from '#server/batches/retry-batch.ts'
import { askForNames } from '#server/batches/rows/check-names.ts'
import { type EditedRows, editRows as editRowsCommand } from '#server/batches/rows/edit-rows.ts'
import { type SubmitFailure, submitBatch as submitBatchCommand } from '#server/batches/submit-batch.ts'
import { type BatchRunFailure, pauseBatch, planBatch, resumeBatch, stopBatch } from '#server/operators/batch-run/control-batch.ts'
import { queryFailures } from '#server/operators/work/second-looks.ts'
import { synchroniseTransaction } from '#server/operators/work/synchronise-transaction.ts'

type Version = { version: number }

/** Says which column of the file contains which field. */
export async function assignColumns(
  application: string,
  input: z.input<typeof assignColumnsSchema>,
): Promise<ActionResult<Version, ChangeFailure | 'no_such_column'>> {
  return change(application, input, assignColumnsSchema, (command) => assignColumnsCommand(backOfficeRuntime(), command))
}

/** Accepts the repairs of one kind, or undoes them. */
export async function decideRepair(
  application: string,
  input: z.input<typeof decideRepairSchema>,
): Promise<ActionResult<Version, ChangeFailure>> {
  return change(application, input, decideRepairSchema, (command) => decideRepairCommand(backOfficeRuntime(), command))
}

/** Replaces cells of the file by what the maker typed, or returns to them. */
export async function editRows(
  application: string,
  input: z.input<typeof editRowsSchema>,
): Promise<ActionResult<EditedRows, ChangeFailure>> {
  return change(application, input, editRowsSchema, (command) => editRowsCommand(backOfficeRuntime(), command))
}

/** Leaves rows out with a reason, or takes them in again. */
export async function excludeRows(
  application: string,
  input: z.input<typeof excludeRowsSchema>,
): Promise<ActionResult<Version, ChangeFailure>> {
  return change(application, input, excludeRowsSchema, (command) => excludeRowsCommand(backOfficeRuntime(), command))
}

/** Has the accounts of the rows checked at their operators, in the background. */
export async function checkNames(
  application: string,
  input: z.input<typeof checkNamesSchema>,
): Promise<ActionResult<null, ChangeFailure | 'in_progress'>> {
  return runAction<typeof checkNamesSchema, null, ChangeFailure | 'in_progress'>(
    { schema: checkNamesSchema, permission: 'transaction:create', application, input },
    async (actor, place) => {
      const { pool, directory } = backOfficeRuntime()
      const snapshot = directory.find(actor.applicationId)
      return snapshot ? askForNames(pool, { ...place, application: snapshot, actor }) : err('not_found')
    },
  )
}

/** Submits a batch for approval. */
export async function submitBatch(
  application: string,
  input: z.input<typeof submitBatchSchema>,
): Promise<ActionResult<{ rows: number }, SubmitFailure>> {
  return change(application, input, submitBatchSchema, (command) => {
    const runtime = backOfficeRuntime()
    const { pool, connectors } = runtime
    return submitBatchCommand({ pool, connectors, wakeSubmitter: runtime.batchSubmitter.wake }, command)
  })
}

/** Discards a batch that was not submitted. */
export async function discardBatch(
  application: string,
  input: z.input<typeof discardBatchSchema>,
): Promise<ActionResult<null, ChangeFailure>> {
  return change(application, input, discardBatchSchema, (command) => discardBatchCommand(backOfficeRuntime(), command))
}

function change<Schema extends z.ZodType, Value, Failure extends string>(
  application: string,
  input: unknown,
  schema: Schema,
  run: (command: z.output<Schema> & { application: ApplicationSnapshot; actor: BackOfficeActor }) => Promise<Result<Value, Failure>>,
): Promise<ActionResult<Value, Failure | 'not_found'>> {
  return runAction<Schema, Value, Failure | 'not_found'>(
    { schema, permission: 'transaction:create', application, input },
    async (actor, parsed) => {
      const snapshot = backOfficeRuntime().directory.find(actor.applicationId)
      if (!snapshot) return err('not_found' as const)
      return run(Object.assign({ application: snapshot, actor }, parsed))
    },
  )
}

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

/** Chooses when a batch that is held is sent. */
export async function planRun(application: string, input: unknown): RunResult {
  return runAction<typeof batchReleaseSchema, { count: number }, BatchRunFailure>(
    { schema: batchReleaseSchema, permission: 'batch:control', application, input },
    (actor, command) => planBatch(backOfficeRuntime(), { ...command, applicationId: actor.applicationId, person: personOf(actor) }),
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

/** Prepares a batch of rows of another one: that failed, that came back, or that were not submitted. */
export async function retryRun(
  application: string,
  input: unknown,
): Promise<ActionResult<{ batchId: string; rows: number; leftOut: number }, RetryFailure>> {
  return runAction<typeof batchRepeatSchema, { batchId: string; rows: number; leftOut: number }, RetryFailure>(
    { schema: batchRepeatSchema, permission: 'transaction:create', application, input },
    async (actor, { batchId, rows }) => {
      const { pool, directory, connectors, forcedEnquiries } = backOfficeRuntime()
      const snapshot = directory.find(actor.applicationId)
      if (!snapshot) return err('not_found')
      const { applicationId } = actor
      return retryBatch(
        {
          pool,
          connectors,
          synchronise: (transactionId) =>
            synchroniseTransaction(forcedEnquiries, { applicationId, transactionId, actor: { kind: 'person', id: actor.id } }),
          queryFailures: (rows) => queryFailures(forcedEnquiries, rows),
        },
        { application: snapshot, actor: personOf(actor), batchId, rows },
      )
    },
  )
}
