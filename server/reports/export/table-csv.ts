import { csvField, safeText } from './safe-text.ts'

/** A cell: words, made safe for spreadsheets, or an exact decimal that stays a number. */
export type TableCell = { text: string } | { decimal: string }

/** The first line of a table as CSV: RFC 4180, UTF-8 with a byte order mark. */
export function tableHead(heads: readonly string[]): string {
  return `\ufeff${heads.map((head) => csvField(safeText(head))).join(',')}\r\n`
}

/** The lines of some rows, each with its line end; words are safe from being read as formulas. */
export function tableLines(rows: readonly (readonly TableCell[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')
}

function fieldOf(cell: TableCell): string {
  return 'decimal' in cell ? cell.decimal : csvField(safeText(cell.text))
}
