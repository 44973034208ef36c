import type { BatchState } from '#lib/batches/batches.ts'
import type { AuditAction } from '#lib/people/audit-actions.ts'
import { err, type Result } from '#lib/result.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import { done, runCommand, type Work } from '#server/audit/run-command.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { type Batch, lockBatch, recountBatch } from './batch-store.ts'
import type { PersonActor } from './create-batch.ts'
import type { CheckContext } from './rows/check-rows.ts'

export type ChangeDeps = { pool: Pool; connectors: Connected }

/** `version` is the one that the person saw. */
export type ChangeCommand = { application: ApplicationSnapshot; actor: PersonActor; batchId: string; version: number }

export type ChangeFailure =
  | 'not_permitted'
  | 'not_found'
  /** It was submitted or discarded. */
  | 'not_a_draft'
  /** Somebody else changed it since this person saw it. */
  | 'changed_meanwhile'

type Audited = { action: Extract<AuditAction, `batch.${string}`>; details?: AuditDetails }

/**
 * Changes a batch that has not been submitted: locks it, refuses what was decided on an older version, counts the rows again and writes
 * the audit entry, unless `work` found nothing to change. Any maker of the application may do it; who changed it last is its maker.
 */
export async function changeBatch<Failure = never>(
  deps: ChangeDeps,
  command: ChangeCommand,
  work: (trx: TrxClient, batch: Batch) => Promise<Result<Audited | 'unchanged', Failure>>,
): Promise<Result<{ version: number }, ChangeFailure | Failure>> {
  const { batchId, version, actor } = command
  return runBatchCommand<{ version: number }, Failure>(deps.pool, command, ['checking', 'draft'], async (trx, batch) => {
    const worked = await work(trx, batch)
    if (!worked.ok) return worked
    if (worked.value === 'unchanged') return done(null, { version })
    await recountBatch(trx, batch.applicationId, batchId, actor.id)
    return done({ ...worked.value, subject: batchId }, { version: version + 1 })
  })
}

/** A command that may be sent twice: its digest, and what it returned, read again from what it stored. */
type Repeatable<Value> = { digest: Buffer; answer: (trx: TrxClient, batch: Batch) => Promise<Value> }

/**
 * Runs a maker's command on a batch that has one of these states and is still in the version that the person saw. Holds the batch. If
 * that very command made the version that follows, a `repeatable` one is answered and changes nothing.
 */
export function runBatchCommand<Value, Failure>(
  pool: Pool,
  { application: { applicationId }, actor, batchId, version }: ChangeCommand,
  states: readonly BatchState[],
  work: (trx: TrxClient, batch: Batch) => ReturnType<Work<Value, Failure>>,
  repeatable?: Repeatable<Value>,
): Promise<Result<Value, ChangeFailure | Failure>> {
  return runCommand<Value, ChangeFailure | Failure>(pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    const batch = await lockBatch(trx, applicationId, batchId)
    if (!batch) return err('not_found')
    if (!states.includes(batch.state)) return err('not_a_draft')
    if (batch.version === version + 1 && repeatable && batch.changeDigest?.equals(repeatable.digest))
      return done(null, await repeatable.answer(trx, batch))
    if (batch.version !== version) return err('changed_meanwhile')
    return work(trx, batch)
  })
}

/** The context that a batch's rows are checked in; undefined while its columns are not known. */
export function contextOf(deps: ChangeDeps, application: ApplicationSnapshot, batch: Batch): CheckContext | undefined {
  const { type, columns, defaultOperator, acceptedRepairs } = batch
  return columns ? { application, connectors: deps.connectors, type, columns, defaultOperator, acceptedRepairs } : undefined
}
