import type { AuditAction } from '#lib/people/audit-actions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import { mayAct } from '#server/audit/command-actor.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { type Batch, lockBatch, recountBatch } from './batch-store.ts'
import type { CheckContext } from './check-rows.ts'
import type { PersonActor } from './create-batch.ts'

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
  { application, actor, batchId, version }: ChangeCommand,
  work: (trx: TrxClient, batch: Batch) => Promise<Result<Audited | 'unchanged', Failure>>,
): Promise<Result<{ version: number }, ChangeFailure | Failure>> {
  const { applicationId } = application
  if (!mayAct(actor, applicationId, 'transaction:create')) return err('not_permitted')
  return withTransaction<{ version: number }, ChangeFailure | Failure>(deps.pool, async (trx) => {
    const batch = await lockBatch(trx, applicationId, batchId)
    if (!batch) return err('not_found')
    if (batch.state !== 'checking' && batch.state !== 'draft') return err('not_a_draft')
    if (batch.version !== version) return err('changed_meanwhile')
    const worked = await work(trx, batch)
    if (!worked.ok) return worked
    if (worked.value === 'unchanged') return ok({ version })
    await recountBatch(trx, applicationId, batchId, actor.id)
    const { action, details } = worked.value
    await appendAudit(trx, {
      applicationId,
      actor: { kind: 'person', id: actor.id },
      action,
      subject: batchId,
      ...(details ? { details } : {}),
    })
    return ok({ version: version + 1 })
  })
}

/** The context that a batch's rows are checked in; undefined while its columns are not known. */
export function contextOf(deps: ChangeDeps, application: ApplicationSnapshot, batch: Batch): CheckContext | undefined {
  const { type, columns, defaultOperator, acceptedRepairs } = batch
  return columns ? { application, connectors: deps.connectors, type, columns, defaultOperator, acceptedRepairs } : undefined
}
