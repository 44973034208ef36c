import { randomUUID } from 'node:crypto'
import type { LeftOutReason, RepeatedRows } from '#lib/batches/batches.ts'
import { formatMinor } from '#lib/money/money.ts'
import { err, type Result } from '#lib/result.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { mayAct } from '#server/audit/command-actor.ts'
import { type Done, done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { type Batch, lockBatch } from './batch-store.ts'
import type { PersonActor } from './create-batch.ts'
import {
  type FailedRow,
  findOpenRows,
  insertLeftOut,
  insertRetries,
  isContinued,
  removeUnusedRetries,
  selectFailedRows,
  selectUnsubmittedRows,
  setParent,
} from './retry-store.ts'
import { cellsOf, type DraftLayout, type DraftRow, nextName, PAYMENT_LAYOUT, storeDraft } from './store-draft.ts'

/** Concurrent queries, well below what one application may have. */
const AT_ONCE = 8
type RetryBatchDeps = {
  pool: Pool
  connectors: Connected
  /** Queries the operator about one transaction now and stores a final result. */
  synchronise(transactionId: string): Promise<unknown>
  /** Queries the operators again about rows that failed. Returns the ids of those that may be paid again. */
  queryFailures(rows: readonly FailedRow[]): Promise<ReadonlySet<string>>
}
type RetryBatch = { application: ApplicationSnapshot; actor: PersonActor; batchId: string; rows: RepeatedRows }

export type RetryFailure =
  | 'not_permitted'
  | 'not_found'
  /** Rows are still being started. */
  | 'submitting'
  /** Rows wait for a decision, or an operator has not said what became of them: one of them may still succeed. */
  | 'still_open'
  | 'nothing_to_retry'
  /** Every row that failed may have been paid: an operator contradicts the failure, or did not confirm it. */
  | 'all_left_out'

type RetriedBatch = { batchId: string; rows: number; leftOut: number }

/**
 * Prepares a new batch of rows of another one, each under a new externalId: those that failed, those that came back without an approval, or
 * those that were not submitted. It moves nothing: a maker checks, changes and submits it like any other batch, and it needs its own approval.
 * Before a retry of failed rows operators are queried about open rows, and nothing is prepared while one is open. Then they are queried again
 * about the rows that failed; one that may have been paid is left out and named. A row is in one retry at most; if that fails again, the row of
 * the retry is repeated.
 */
export async function retryBatch(deps: RetryBatchDeps, command: RetryBatch): Promise<Result<RetriedBatch, RetryFailure>> {
  const { application, actor, batchId } = command
  const { applicationId } = application
  if (!mayAct(actor, applicationId, 'transaction:create')) return err('not_permitted')
  const confirmed = command.rows === 'failed' ? await confirmFailures(deps, { applicationId, batchId }) : new Set<string>()
  if (confirmed === 'still_open') return err(confirmed)
  return runRecorded<RetriedBatch, RetryFailure>(deps.pool, { applicationId, actor }, async (trx) => {
    const parent = await lockBatch(trx, applicationId, batchId)
    if (!parent) return err('not_found')
    if (parent.state !== 'submitted') return err(parent.state === 'submitting' ? 'submitting' : 'not_found')
    if (command.rows === 'unsubmitted') return continueWith(trx, deps, command, parent)
    const stillOpen = await findOpenRows(trx, parent)
    if (command.rows === 'failed' && stillOpen.waiting + stillOpen.pendingIds.length > 0) return err('still_open')
    return repeat(trx, deps, command, parent, confirmed)
  })
}

/** Queries operators about open and failed rows. Returns the failed ones that may be paid again. */
async function confirmFailures(
  deps: RetryBatchDeps,
  batch: { applicationId: string; batchId: string },
): Promise<ReadonlySet<string> | 'still_open'> {
  const open = await findOpenRows(deps.pool, batch)
  if (open.waiting > 0) return 'still_open'
  for (let start = 0; start < open.pendingIds.length; start += AT_ONCE) {
    await Promise.all(open.pendingIds.slice(start, start + AT_ONCE).map((id) => deps.synchronise(id)))
  }
  await removeUnusedRetries(deps.pool, batch)
  const failed = await selectFailedRows(deps.pool, batch, 'failed')
  return deps.queryFailures(failed.filter((row) => row.wasSent && !row.isContradicted && !row.isAsked))
}

/** The rows that ended without a payment, as they were sent. */
async function repeat(
  trx: TrxClient,
  deps: RetryBatchDeps,
  command: RetryBatch,
  parent: Batch,
  confirmed: ReadonlySet<string>,
): Promise<Result<Done<RetriedBatch>, RetryFailure>> {
  const which = command.rows === 'returned' ? 'returned' : 'failed'
  if (which === 'returned') await removeUnusedRetries(trx, parent)
  // Read again: what was reported since the operators were queried counts.
  const all = await selectFailedRows(trx, parent, which)
  const leftOut = all.flatMap((row) => {
    const reason = reasonToLeaveOut(row, confirmed)
    return reason ? [{ transactionId: row.transactionId, reason }] : []
  })
  const leftOutIds = new Set(leftOut.map((row) => row.transactionId))
  const failed = all.filter((row) => !leftOutIds.has(row.transactionId))
  if (failed.length === 0) return err(leftOut.length > 0 ? 'all_left_out' : 'nothing_to_retry')
  const hasNumbers = failed.every((row) => row.rowNumber !== null)
  const rows = failed.map((row, index) => ({
    rowNumber: hasNumbers && row.rowNumber !== null ? row.rowNumber : index + 2,
    failedId: row.transactionId,
    externalId: randomUUID(),
    cells: cellsOf({ ...row, amount: formatMinor(row.amountMinor) }),
    edits: {},
  }))
  const place = await store(trx, deps, command, parent, { ...PAYMENT_LAYOUT, rows })
  await insertRetries(
    trx,
    { ...place, parentBatchId: parent.batchId },
    rows.map((row) => ({ failed_transaction_id: row.failedId, row_number: row.rowNumber, external_id: row.externalId })),
  )
  await insertLeftOut(trx, place, leftOut)
  const retried = { batchId: place.batchId, rows: rows.length, leftOut: leftOut.length }
  return done({ action: 'batch.retried', subject: parent.batchId, details: { ...retried, which } }, retried)
}

/** The rows that were not submitted, with what the maker corrected. Another batch continues with them once, until it is discarded. */
async function continueWith(
  trx: TrxClient,
  deps: RetryBatchDeps,
  command: RetryBatch,
  parent: Batch,
): Promise<Result<Done<RetriedBatch>, RetryFailure>> {
  const found = await selectUnsubmittedRows(trx, parent)
  if (found.length === 0 || parent.columns === null || (await isContinued(trx, parent))) return err('nothing_to_retry')
  const rows = found.map((row) => ({ ...row, externalId: randomUUID() }))
  const { headers, columns, defaultOperator, reading } = parent
  const { batchId } = await store(trx, deps, command, parent, { rows, headers, columns, defaultOperator, reading })
  const continued = { batchId, rows: rows.length, leftOut: 0 }
  return done({ action: 'batch.retried', subject: parent.batchId, details: { ...continued, which: 'unsubmitted' } }, continued)
}

/** Stores the draft beside the batch that it repeats. */
async function store(
  trx: TrxClient,
  { connectors }: RetryBatchDeps,
  { application, actor }: RetryBatch,
  parent: Batch,
  content: DraftLayout & { rows: readonly DraftRow[] },
): Promise<{ applicationId: string; batchId: string }> {
  const { type, fileName } = parent
  const draft = { application, makerId: actor.id, type, name: nextName(parent.name), fileName, ...content }
  const place = await storeDraft(trx, connectors, draft)
  await setParent(trx, place, parent.batchId)
  return place
}

function reasonToLeaveOut(row: FailedRow, confirmed: ReadonlySet<string>): LeftOutReason | undefined {
  if (row.isContradicted) return 'contradicted'
  if (row.isAsked) return 'asked'
  return row.wasSent && !confirmed.has(row.transactionId) ? 'unanswered' : undefined
}
