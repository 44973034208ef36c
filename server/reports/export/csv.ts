import { createHash } from 'node:crypto'
import { type Cell, chooseColumns } from './export-columns.ts'
import type { ExportWriter, WriterOptions } from './export-record.ts'

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

/**
 * A cell: words, made safe for spreadsheets; an exact decimal that stays a number; a day (YYYY-MM-DD), or none; an instant (ISO 8601); a time
 * on the clock that the column's head names (YYYY-MM-DD HH:MM:SS).
 */
export type TableCell = { text: string } | { decimal: string } | { day: string | null } | { instant: string } | { clock: string }

/** The rows of a table in batches. */
export type TableRows = AsyncGenerator<readonly (readonly TableCell[])[], void, undefined>

/** The first line of a table as CSV: RFC 4180, UTF-8 with a byte order mark. */
export function tableHead(heads: readonly string[]): string {
  return `\ufeff${heads.map((head) => csvField(safeText(head))).join(',')}\r\n`
}

/** The lines of some rows, each with its line end; words are safe from being read as formulas. */
export function tableLines(rows: readonly (readonly TableCell[])[]): string {
  return rows.map((row) => `${row.map(tableField).join(',')}\r\n`).join('')
}

function tableField(cell: TableCell): string {
  if ('decimal' in cell) return cell.decimal
  if ('day' in cell) return cell.day ?? ''
  if ('clock' in cell) return cell.clock
  return 'instant' in cell ? cell.instant : csvField(safeText(cell.text))
}

/** The longest text of a cell in a spreadsheet; longer texts make some programs refuse the whole file. */
const CELL_LENGTH_MAX = 32_767
/** Signs at the beginning of a text that a spreadsheet may take for a formula, also in full-width forms. */
const FORMULA_SIGNS = new Set('=+-@|%\uff1d\uff0b\uff0d\uff20\t\r\n')
/**
 * A spreadsheet in a language with decimal commas, French among them, separates the fields of a CSV at semicolons, also inside quotes that
 * started after a comma: what follows a semicolon may be a cell of its own.
 */
const FORMULA_AFTER_SEMICOLON = /;(?=[\s"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20])/g

/** A text as any cell may hold it: well-formed, without NUL, and no longer than a cell; what is cut ends with an ellipsis. */
export function cellText(text: string): string {
  const plain = (text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX - 2)}…` : text).toWellFormed()
  return plain.replaceAll('\0', '')
}

/**
 * A text for a CSV cell that no spreadsheet runs as a formula: it gets an apostrophe where one could begin, and only there, so that phone
 * numbers and ids stay what they are. NUL is dropped; line breaks become spaces, so that one row stays one line. Takes time in proportion
 * to the length of the text, regardless of its content.
 */
export function safeText(text: string): string {
  const plain = cellText(text)
  const guarded = isFormula(plain) ? `'${plain}` : plain
  return guarded.replace(/[\r\n]+/g, ' ').replace(FORMULA_AFTER_SEMICOLON, ";'")
}

/** Spreadsheets trim spaces before they look for a formula; tabs and line breaks at the very beginning count as signs themselves. */
function isFormula(text: string): boolean {
  return FORMULA_SIGNS.has(text.charAt(0)) || /^\s*[\t\r\n]/.test(text) || FORMULA_SIGNS.has(text.trimStart().charAt(0))
}

/** A CSV field: quoted where it holds a comma, a quote or anything at its edge that a reader could trim. */
export function csvField(text: string): string {
  return /[",;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
