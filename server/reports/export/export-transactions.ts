import { createHash, randomUUID } from 'node:crypto'
import type { Translate } from '#lib/i18n/translate.ts'
import { type Currency, formatMinor } from '#lib/money/money.ts'
import { toQuery } from '#lib/pages/paths.ts'
import type { ExportFormat, ListColumn } from '#lib/payments/transactions/transaction-exports.ts'
import { type SumDto, toAddressValues, toTransactionQuery } from '#lib/payments/transactions/transaction-list.ts'
import { can, type Role } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { TransactionFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { openSnapshot } from '#server/database/with-transaction.ts'
import { listAdjustments } from '#server/ledger/ledger-store.ts'
import { readRefundFacts } from '#server/transactions/refund-store.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import { findSequenceRange } from '../transaction-search/search-transactions.ts'
import { selectBatch, selectRowsByIds } from '../transaction-search/search-transactions-store.ts'
import { createCsvWriter } from './csv.ts'
import type { ExportedRow } from './export-columns.ts'
import { type FileLimits, type FilePieces, guardFile, takeExportSlot } from './export-file.ts'
import type { ExportResult, ExportSubject, ExportWriter, WriterOptions } from './export-record.ts'
import { completeExport, insertExport, readCutOff, selectNames } from './export-store.ts'
import { STORED_BYTES_MAX, type StoredFile, storeFile } from './stored-file.ts'
import { deleteOldFiles } from './stored-file-store.ts'
import { createXlsxWriter } from './xlsx.ts'

const BATCH_ROWS = 1_000

export type ExportRequest = BusinessTime & {
  applicationName: string
  person: { id: string; name: string; roles: readonly Role[] }
  format: ExportFormat
  filter: TransactionFilter
  /** Only these, if rows were selected; null: everything that matches the filter. */
  transactionIds: readonly string[] | null
  /** The columns of the list that the person chose, in order; null: all. */
  columns: readonly ListColumn[] | null
  t: Translate
}

/** `file` must be read to its end or closed with `return()`: it holds a connection. */
type ExportFile = { exportId: string; cutOffAt: Date; file: FilePieces }

/**
 * Exports a list of transactions as a file, in memory that does not grow with it: rows are read by their sequence in one snapshot. The
 * export is on record (exports, audit) before the first byte is sent; its content and SHA-256 are before the last, and its bytes are stored for
 * another download unless they are too many.
 */
export async function exportTransactions(
  deps: { pool: Pool; reportPool: Pool; limits?: FileLimits; storedFileBytesMax?: number },
  request: ExportRequest,
): Promise<Result<ExportFile, 'forbidden' | 'busy'>> {
  if (!can(request.person.roles, 'export:create')) return err('forbidden')
  const slot = takeExportSlot(request.applicationId, deps.reportPool.options.max ?? 0)
  if (!slot) return err('busy')
  const snapshot = await openSnapshot(deps.reportPool).catch((error: unknown) => {
    slot.release()
    throw error
  })
  const exportId = randomUUID()
  const stored = storeFile(deps.pool, { applicationId: request.applicationId, exportId, bytesMax: deps.storedFileBytesMax })
  async function end(): Promise<void> {
    slot?.release()
    await snapshot.close()
    await stored.discard()
  }
  try {
    const subject = subjectOf(request, exportId, await readCutOff(snapshot.client))
    await recordStart(deps.pool, request, subject)
    const rows = request.transactionIds
      ? batchesByIds(snapshot.client, request.applicationId, request.transactionIds)
      : batchesByFilter(snapshot.client, request, request.filter)
    const named = withNotes(snapshot.client, request.applicationId, rows)
    const made = writeExport({ subject, t: request.t }, named, stored, (result) => recordEnd(deps.pool, request, exportId, result))
    return ok({ exportId, cutOffAt: subject.cutOffAt, file: guardFile(made, end, deps.limits) })
  } catch (error) {
    await end()
    throw error
  }
}

function subjectOf(request: ExportRequest, exportId: string, cutOffAt: Date): ExportSubject {
  const { format, filter, transactionIds, columns, applicationName, businessZone, person } = request
  const query = toQuery(toAddressValues({ ...toTransactionQuery(filter), page: 0, size: 50 })).replace(/^\?/, '')
  return {
    exportId,
    applicationName,
    personName: person.name,
    format,
    query,
    selected: transactionIds?.length ?? null,
    columns,
    timeZone: businessZone,
    cutOffAt,
  }
}

async function recordStart(
  pool: Pool,
  { applicationId, person }: ExportRequest,
  { exportId, format, query, selected, columns, timeZone, cutOffAt }: ExportSubject,
): Promise<void> {
  await runRecorded<void, never>(pool, { applicationId, actor: { kind: 'person', id: person.id } }, async (trx) => {
    await insertExport(trx, { applicationId, exportId, personId: person.id, format, query, selected, columns, timeZone, cutOffAt })
    const details = { format, query, selected, columns: columns?.join(',') ?? null, timeZone, cutOffAt: cutOffAt.toISOString() }
    return done({ action: 'export.started', subject: exportId, details })
  })
}

async function recordEnd(pool: Pool, { applicationId, person }: ExportRequest, exportId: string, result: FileResult): Promise<void> {
  const { rowCount, totals, fileSha256 } = result
  await runRecorded<void, never>(pool, { applicationId, actor: { kind: 'person', id: person.id } }, async (trx) => {
    await completeExport(trx, { applicationId, exportId, ...result })
    await deleteOldFiles(trx, applicationId, STORED_BYTES_MAX)
    const details = { rowCount, totals: totals.map((total) => ({ ...total })), fileSha256 }
    return done({ action: 'export.finished', subject: exportId, details })
  })
}

async function* batchesByFilter(
  queryable: Queryable,
  application: BusinessTime,
  filter: TransactionFilter,
): AsyncGenerator<Transaction[], void, undefined> {
  const found = await findSequenceRange(queryable, application, filter)
  if (!found) return
  const order = filter.sort === 'oldest' ? 'oldest' : 'newest'
  let { first, last } = found
  for (;;) {
    const rows = await selectBatch(queryable, application.applicationId, filter, { range: { first, last }, order, limit: BATCH_ROWS })
    const end = rows.at(-1)
    if (!end) return
    yield rows
    if (rows.length < BATCH_ROWS) return
    if (order === 'oldest') first = end.sequence + 1n
    else last = end.sequence - 1n
  }
}

async function* batchesByIds(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): AsyncGenerator<Transaction[], void, undefined> {
  yield await selectRowsByIds(queryable, applicationId, transactionIds)
}

/** The same batches with the names of the makers, each read once, and with what was adjusted and refunded. */
async function* withNotes(
  queryable: Queryable,
  applicationId: string,
  batches: AsyncGenerator<Transaction[], void, undefined>,
): AsyncGenerator<ExportedRow[], void, undefined> {
  const names = new Map<string, string>()
  for await (const batch of batches) {
    const unknown = new Set(batch.flatMap(({ makerId }) => (makerId === null || names.has(makerId) ? [] : makerId)))
    if (unknown.size > 0) for (const { personId, name } of await selectNames(queryable, [...unknown])) names.set(personId, name)
    const ids = batch.map(({ transactionId }) => transactionId)
    const adjusted = await listAdjustments(queryable, applicationId, ids)
    const refunds = await readRefundFacts(queryable, applicationId, ids)
    yield batch.map((row) => ({
      ...row,
      makerName: row.makerId === null ? null : (names.get(row.makerId) ?? null),
      adjustments: adjusted.get(row.transactionId) ?? [],
      refund: refunds.get(row.transactionId) ?? null,
    }))
  }
}

type FileResult = ExportResult & { fileSha256: string; fileBytes: number; isStored: boolean }

type Batches = AsyncGenerator<readonly ExportedRow[], void, undefined>

/**
 * Writes a file from batches of rows, piece by piece: never more than a batch is in memory. The first batch is read before the first byte
 * is made, so that a list that cannot be read is a refusal and not a broken file. `stored` gets every byte too, and `onEnd` counts and digests,
 * before the last bytes leave, so that the record exists when the file is complete.
 */
async function* writeExport(
  options: WriterOptions,
  batches: Batches,
  stored: StoredFile,
  onEnd: (result: FileResult) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = options.subject.format === 'csv' ? createCsvWriter(options) : createXlsxWriter(options)
  try {
    yield* writeBatches(writer, batches, stored, onEnd)
  } finally {
    writer.discard()
  }
}

async function* writeBatches(
  writer: ExportWriter,
  batches: Batches,
  stored: StoredFile,
  onEnd: (result: FileResult) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  const file = createHash('sha256')
  const sums = new Map<Currency, { count: number; amountMinor: bigint }>()
  let rowCount = 0
  let fileBytes = 0
  /** Made and not sent: the last bytes leave after the record is complete. */
  let held: Buffer | undefined
  async function* pass(chunks: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
    for (const chunk of chunks) {
      file.update(chunk)
      fileBytes += chunk.length
      await stored.add(chunk)
      if (held) yield held
      held = chunk
    }
  }
  let step = await batches.next()
  yield* pass(await writer.open())
  for (; !step.done; step = await batches.next()) {
    const batch = step.value
    rowCount += batch.length
    for (const row of batch) {
      const sum = sums.get(row.currency) ?? { count: 0, amountMinor: 0n }
      sums.set(row.currency, { count: sum.count + 1, amountMinor: sum.amountMinor + row.amountMinor })
    }
    yield* pass(await writer.rows(batch))
  }
  const totals: SumDto[] = [...sums]
    .map(([currency, { count, amountMinor }]) => ({ currency, count, amount: formatMinor(amountMinor) }))
    .sort((left, right) => (left.currency < right.currency ? -1 : 1))
  const { chunks, result } = await writer.close({ rowCount, totals })
  yield* pass(chunks)
  const isStored = await stored.finish()
  await onEnd({ ...result, fileSha256: file.digest('hex'), fileBytes, isStored })
  if (held) yield held
}
