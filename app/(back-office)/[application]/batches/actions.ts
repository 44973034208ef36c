'use server'

import type { z } from 'zod'
import type { ActionResult } from '#lib/action-result.ts'
import { err, type Result } from '#lib/result.ts'
import {
  assignColumnsSchema,
  decideRepairSchema,
  discardBatchSchema,
  editRowSchema,
  excludeRowsSchema,
  submitBatchSchema,
} from '#lib/schemas/batch-input.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { assignColumns as assignColumnsCommand } from '#server/batches/assign-columns.ts'
import type { ChangeFailure } from '#server/batches/change-batch.ts'
import { decideRepair as decideRepairCommand } from '#server/batches/decide-repair.ts'
import { discardBatch as discardBatchCommand } from '#server/batches/discard-batch.ts'
import { editRow as editRowCommand } from '#server/batches/edit-row.ts'
import { excludeRows as excludeRowsCommand } from '#server/batches/exclude-rows.ts'
import { type SubmitFailure, submitBatch as submitBatchCommand } from '#server/batches/submit-batch.ts'

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

/** Replaces what the file has in one row. */
export async function editRow(application: string, input: z.input<typeof editRowSchema>): Promise<ActionResult<Version, ChangeFailure>> {
  return change(application, input, editRowSchema, (command) => editRowCommand(backOfficeRuntime(), command))
}

/** Leaves rows out with a reason, or takes them in again. */
export async function excludeRows(
  application: string,
  input: z.input<typeof excludeRowsSchema>,
): Promise<ActionResult<Version, ChangeFailure>> {
  return change(application, input, excludeRowsSchema, (command) => excludeRowsCommand(backOfficeRuntime(), command))
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
