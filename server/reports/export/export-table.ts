import type { ExportFormat } from '#lib/export-formats.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type FileLimits, type FilePieces, guardFile } from './export-file.ts'
import { takeExportSlot } from './export-slots.ts'
import { type TableRows, tableHead, tableLines } from './table-csv.ts'
import { writeTableXlsx } from './table-xlsx.ts'

export type TableRequest = {
  applicationId: string
  personId: string
  action: 'balances.exported' | 'totals.exported' | 'statement.exported' | 'batch.exported' | 'audit.exported'
  /** What the table is about: an operator's code, a batch, or the application's id. */
  subject: string
  /** The filters, as the audit record keeps them. */
  details: AuditDetails
  format: ExportFormat
  /** The name of the sheet in a workbook. */
  title: string
  heads: readonly string[]
  rows: TableRows
}

/**
 * Exports a table as CSV or as a workbook, batch by batch. An audit entry is written before the first byte is sent; a table that cannot be read throws
 * before that. `busy`: the application has as many exports under way as it may. `rows` is always closed.
 */
export async function exportTable(
  deps: { pool: Pool; reportPool: Pool; limits?: FileLimits },
  { rows, heads, ...request }: TableRequest,
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
    const file = request.format === 'csv' ? writeTableCsv(heads, first, rows) : writeTableXlsx(request.title, heads, first, rows)
    return ok(guardFile(file, end, deps.limits))
  } catch (error) {
    await end()
    throw error
  }
}

async function record(
  pool: Pool,
  { applicationId, personId, action, subject, details, format }: Omit<TableRequest, 'rows' | 'heads' | 'title'>,
): Promise<void> {
  await withTransaction(pool, async (trx) => {
    await appendAudit(trx, {
      applicationId,
      actor: { kind: 'person', id: personId },
      action,
      subject,
      details: { format, ...details },
    })
    return ok(null)
  })
}

async function* writeTableCsv(heads: readonly string[], first: Awaited<ReturnType<TableRows['next']>>, rows: TableRows): FilePieces {
  yield Buffer.from(tableHead(heads))
  for (let step = first; !step.done; step = await rows.next()) {
    if (step.value.length > 0) yield Buffer.from(tableLines(step.value))
  }
}
