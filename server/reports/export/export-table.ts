import type { ExportFormat } from '#lib/payments/transactions/transaction-exports.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { type TableRows, tableHead, tableLines } from './csv.ts'
import { type FileLimits, type FilePieces, guardFile, takeExportSlot } from './export-file.ts'
import { writeTableXlsx } from './xlsx.ts'

export type TableRequest = {
  applicationId: string
  personId: string
  action:
    | 'balances.exported'
    | 'unconfirmed.exported'
    | 'totals.exported'
    | 'statement.exported'
    | 'batch.exported'
    | 'audit.exported'
    | 'statement.rows_exported'
    | 'certificates.exported'
    | 'fees.exported'
    | 'difference.exported'
    | 'settlement.exported'
    | 'journal.exported'
  /** The subject of the table: an operator's code, a batch, an operator's statement, a wallet, or the application's id. */
  subject: string
  /** The filters, as the audit record keeps them. */
  details: AuditDetails
  format: ExportFormat
  /** The name of the sheet in a workbook. */
  title: string
  heads: readonly string[]
  rows: TableRows
}

/** Lines of JSON in batches, each line an object. */
export type JsonLines = AsyncGenerator<readonly string[], void, undefined>

/** A file of JSON lines; the rest is as of a table. */
export type LinesRequest = Omit<TableRequest, 'format' | 'title' | 'heads' | 'rows'> & { format: 'jsonl'; lines: JsonLines }

/** A file whose bytes are made already. */
export type BytesRequest = Omit<LinesRequest, 'format' | 'lines'> & { bytes: Buffer }

type ExportDeps = { pool: Pool; reportPool: Pool; limits?: FileLimits }

/** Exports a table as CSV or as a workbook, batch by batch. */
export async function exportTable(deps: ExportDeps, { rows, heads, ...request }: TableRequest): Promise<Result<FilePieces, 'busy'>> {
  return exportBatches(deps, request, rows, (first) =>
    request.format === 'csv' ? writeTableCsv(heads, first, rows) : writeTableXlsx(request.title, heads, first, rows),
  )
}

/** Exports lines of JSON, batch by batch. */
export async function exportLines(deps: ExportDeps, { lines, ...request }: LinesRequest): Promise<Result<FilePieces, 'busy'>> {
  return exportBatches(deps, request, lines, (first) => writeLines(first, lines))
}

/** Exports bytes that are made already. `format`: as the audit record names it. */
export async function exportBytes(
  deps: ExportDeps,
  { bytes, ...request }: BytesRequest & { format: string },
): Promise<Result<FilePieces, 'busy'>> {
  return exportBatches(deps, request, oneOf(bytes), writeBytes)
}

/**
 * Makes a file of batches. An audit entry is written before the first byte is sent; what cannot be read throws before that. `busy`: the
 * application has as many exports in progress as it may. `rows` is always closed.
 */
async function exportBatches<Batch>(
  deps: ExportDeps,
  request: ExportFacts,
  rows: AsyncGenerator<Batch, void, undefined>,
  write: (first: IteratorResult<Batch, void>) => FilePieces,
): Promise<Result<FilePieces, 'busy'>> {
  const slot = takeExportSlot(request.applicationId, deps.reportPool.options.max ?? 0)
  if (!slot) {
    await rows.return()
    return err('busy')
  }
  async function end(): Promise<void> {
    slot?.release()
    await rows.return()
  }
  try {
    const first = await rows.next()
    await record(deps.pool, request)
    return ok(guardFile(write(first), end, deps.limits))
  } catch (error) {
    await end()
    throw error
  }
}

type ExportFacts = Pick<TableRequest, 'applicationId' | 'personId' | 'action' | 'subject' | 'details'> & { format: string }

async function record(pool: Pool, { applicationId, personId, action, subject, details, format }: ExportFacts): Promise<void> {
  const by = { applicationId, actor: { kind: 'person' as const, id: personId } }
  await recordAct(pool, by, { action, subject, details: { format, ...details } })
}

async function* writeTableCsv(heads: readonly string[], first: Awaited<ReturnType<TableRows['next']>>, rows: TableRows): FilePieces {
  yield Buffer.from(tableHead(heads))
  for (let step = first; !step.done; step = await rows.next()) {
    if (step.value.length > 0) yield Buffer.from(tableLines(step.value))
  }
}

async function* oneOf<Item>(item: Item): AsyncGenerator<Item, void, undefined> {
  yield item
}

async function* writeBytes(first: IteratorResult<Buffer, void>): FilePieces {
  if (!first.done) yield first.value
}

async function* writeLines(first: IteratorResult<readonly string[], void>, lines: JsonLines): FilePieces {
  for (let step = first; !step.done; step = await lines.next()) {
    if (step.value.length > 0) yield Buffer.from(`${step.value.join('\n')}\n`)
  }
}
