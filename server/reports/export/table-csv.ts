import { csvField, safeText } from './safe-text.ts'

/** A cell: words, made safe for spreadsheets; an exact decimal that stays a number; a day (YYYY-MM-DD) or an instant (ISO 8601), or none. */
export type TableCell = { text: string } | { decimal: string } | { day: string | null } | { instant: string }

/** The rows of a table in batches. */
export type TableRows = AsyncGenerator<readonly (readonly TableCell[])[], void, undefined>

/** The first line of a table as CSV: RFC 4180, UTF-8 with a byte order mark. */
export function tableHead(heads: readonly string[]): string {
  return `\ufeff${heads.map((head) => csvField(safeText(head))).join(',')}\r\n`
}

/** The lines of some rows, each with its line end; words are safe from being read as formulas. */
export function tableLines(rows: readonly (readonly TableCell[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')
}

function fieldOf(cell: TableCell): string {
  if ('decimal' in cell) return cell.decimal
  if ('day' in cell) return cell.day ?? ''
  return 'instant' in cell ? cell.instant : csvField(safeText(cell.text))
}
