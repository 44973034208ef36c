import { createHash, randomUUID, randomUUIDv7 } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchCell, BatchColumns, RowEdits } from '#lib/batches/batch-fields.ts'
import type { LeftOutReason, RepeatedRows } from '#lib/batches/batches.ts'
import type { FileReading } from '#lib/batches/file-problem.ts'
import { usualHeader } from '#lib/batches/recognise-columns.ts'
import { formatMinor } from '#lib/money/money.ts'
import { PAYMENT_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import { err, type Result } from '#lib/result.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { mayAct } from '#server/audit/command-actor.ts'
import { type Done, done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { type Batch, insertBatch, lockBatch, recountBatch } from './batch-store.ts'
import { CHECK_PART, checkRow, compareRows } from './check-rows.ts'
import type { PersonActor } from './create-batch.ts'
import {
  type FailedRow,
  insertLeftOut,
  insertRetries,
  isContinued,
  removeUnusedRetries,
  selectFailedRows,
  selectOpenRows,
  selectUnsubmittedRows,
  setParent,
} from './retry-store.ts'
import { insertRows } from './row-store.ts'

/** Concurrent queries, well below what one application may have. */
const AT_ONCE = 8
const FIELDS = ['phoneNumber', ...PAYMENT_TEXT_NAMES, 'amount', 'operator'] as const
const COLUMNS: BatchColumns = Object.fromEntries(FIELDS.map((field, column) => [field, column]))
const HEADERS = FIELDS.map(usualHeader)
/** Its rows come from the batch that failed, not from a file. */
const READING: FileReading = {
  format: 'csv',
  encoding: null,
  separator: null,
  sheet: null,
  otherSheets: [],
  hiddenRows: 0,
  rowsAbove: 0,
}
const NAME_LENGTH_MAX = 200

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
    const stillOpen = await selectOpenRows(trx, parent)
    if (command.rows === 'failed' && stillOpen.waiting + stillOpen.pendingIds.length > 0) return err('still_open')
    return repeat(trx, deps, command, parent, confirmed)
  })
}

/** Queries operators about open and failed rows. Returns the failed ones that may be paid again. */
async function confirmFailures(
  deps: RetryBatchDeps,
  batch: { applicationId: string; batchId: string },
): Promise<ReadonlySet<string> | 'still_open'> {
  const open = await selectOpenRows(deps.pool, batch)
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
    cells: FIELDS.map((field) => (field === 'amount' ? formatMinor(row.amountMinor) : row[field])),
    edits: {},
  }))
  const place = await store(trx, deps, command, parent, {
    rows,
    headers: HEADERS,
    columns: COLUMNS,
    defaultOperator: null,
    reading: READING,
  })
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

type Content = Pick<Batch, 'headers' | 'defaultOperator' | 'reading'> & {
  columns: BatchColumns
  rows: readonly { rowNumber: number; cells: readonly BatchCell[]; edits: RowEdits; externalId: string }[]
}

/** Stores the draft and checks its rows. */
async function store(
  trx: TrxClient,
  { connectors }: RetryBatchDeps,
  { application, actor }: RetryBatch,
  parent: Batch,
  { rows, headers, columns, defaultOperator, reading }: Content,
): Promise<{ applicationId: string; batchId: string }> {
  const { applicationId, type } = parent
  const place = { applicationId, batchId: randomUUIDv7() }
  await insertBatch(trx, {
    ...place,
    name: nextName(parent.name),
    type,
    makerId: actor.id,
    fileName: parent.fileName,
    fileSha256: createHash('sha256')
      .update(JSON.stringify(rows.map((row) => row.cells)))
      .digest(),
    state: 'draft',
    rowCount: rows.length,
    reading,
    headers,
    columns,
    defaultOperator,
  })
  await setParent(trx, place, parent.batchId)
  const context = { application, connectors, type, columns, defaultOperator, acceptedRepairs: [] }
  for (let start = 0; start < rows.length; start += CHECK_PART) {
    const part = rows.slice(start, start + CHECK_PART)
    await insertRows(
      trx,
      place,
      part.map((row) => ({ ...checkRow(row, context), cells: [...row.cells], edits: row.edits, external_id: row.externalId })),
    )
    await nextTurn()
  }
  await compareRows(trx, place, type, null)
  await recountBatch(trx, applicationId, place.batchId, actor.id)
  return place
}

function reasonToLeaveOut(row: FailedRow, confirmed: ReadonlySet<string>): LeftOutReason | undefined {
  if (row.isContradicted) return 'contradicted'
  if (row.isAsked) return 'asked'
  return row.wasSent && !confirmed.has(row.transactionId) ? 'unanswered' : undefined
}

/** `Salaries` becomes `Salaries (2)`, and that `Salaries (3)`. */
function nextName(name: string): string {
  const [, base = name, number = '1'] = /^(.*?)(?: \((\d{1,3})\))?$/s.exec(name) ?? []
  const suffix = ` (${Number(number) + 1})`
  return `${base.slice(0, NAME_LENGTH_MAX - suffix.length)}${suffix}`
}
