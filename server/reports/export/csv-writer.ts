import { createHash } from 'node:crypto'
import type { Transaction } from '#server/transactions/transaction.ts'
import { type Cell, EXPORT_COLUMNS } from './export-columns.ts'
import { CSV_RECORD_MARK, type ExportResult, recordLines } from './export-record.ts'
import type { ExportWriter, WriterOptions } from './export-writer.ts'
import { csvField, safeText, safeValue } from './safe-text.ts'

const LINE_END = '\r\n'

/** RFC 4180, UTF-8 with a byte order mark (or spreadsheets spoil the accents), commas, points: the same file in every language. */
export function createCsvWriter({ subject }: WriterOptions): ExportWriter {
  const hash = createHash('sha256')
  function data(text: string): Buffer {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    return bytes
  }
  return {
    open: () => [data(`\ufeff${EXPORT_COLUMNS.map((column) => column.id).join(',')}${LINE_END}`)],
    rows: (rows) => [data(rows.map((row) => lineOf(row)).join(''))],
    close(counted) {
      const result: ExportResult = { ...counted, dataSha256: hash.digest('hex') }
      const lines = recordLines(subject, result).map(
        ([name, value]) => `${CSV_RECORD_MARK},${csvField(name)},${csvField(safeValue(value))}${LINE_END}`,
      )
      return { chunks: [Buffer.from(lines.join(''))], result }
    },
    discard: () => undefined,
  }
}

function lineOf(row: Transaction): string {
  return EXPORT_COLUMNS.map((column) => fieldOf(column.cell(row))).join(',') + LINE_END
}

function fieldOf(cell: Cell): string {
  switch (cell.kind) {
    case 'text':
      return csvField(safeText(cell.text))
    case 'number':
      return cell.decimal
    case 'instant':
      return cell.at.toISOString()
    case 'empty':
      return ''
  }
}
