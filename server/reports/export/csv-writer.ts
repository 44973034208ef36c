import { createHash } from 'node:crypto'
import { type Cell, chooseColumns } from './export-columns.ts'
import type { ExportWriter, WriterOptions } from './export-writer.ts'
import { csvField, safeText } from './safe-text.ts'

const LINE_END = '\r\n'

/**
 * RFC 4180, UTF-8 with a byte order mark (or spreadsheets spoil the accents), commas, points: the same file in every language. It has
 * the heads and the rows only, so that a program can read it to its end; its record is stored beside it.
 */
export function createCsvWriter({ subject }: WriterOptions): ExportWriter {
  const columns = chooseColumns(subject.columns)
  const hash = createHash('sha256')
  function data(text: string): Buffer {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    return bytes
  }
  return {
    open: () => [data(`\ufeff${columns.map((column) => column.id).join(',')}${LINE_END}`)],
    rows: (rows) => [data(rows.map((row) => columns.map((column) => fieldOf(column.cell(row))).join(',') + LINE_END).join(''))],
    close: (counted) => ({ chunks: [], result: { ...counted, dataSha256: hash.digest('hex') } }),
    discard: () => undefined,
  }
}

function fieldOf(cell: Cell): string {
  switch (cell.kind) {
    case 'text':
      return csvField(safeText(cell.text))
    case 'number':
      return cell.decimal
    case 'instant':
      return cell.at.toISOString()
    case 'day':
      return cell.day
    case 'empty':
      return ''
  }
}
