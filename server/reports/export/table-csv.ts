import { csvField, safeText } from './safe-text.ts'

/** A cell: words, made safe for spreadsheets, or an exact decimal that stays a number. */
export type TableCell = { text: string } | { decimal: string }

/** A small table as CSV: RFC 4180, UTF-8 with a byte order mark, words safe from being read as formulas (DESIGN 13). */
export function writeTableCsv(heads: readonly string[], rows: readonly (readonly TableCell[])[]): string {
  const lines = [heads.map((head) => csvField(safeText(head))), ...rows.map((row) => row.map(fieldOf))]
  return `\ufeff${lines.map((line) => `${line.join(',')}\r\n`).join('')}`
}

function fieldOf(cell: TableCell): string {
  return 'decimal' in cell ? cell.decimal : csvField(safeText(cell.text))
}
