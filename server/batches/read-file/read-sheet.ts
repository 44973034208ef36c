import type { BatchCell } from '#lib/batch-file/batch-cell.ts'
import { BATCH_CELL_LENGTH_MAX, BATCH_COLUMNS_MAX } from '#lib/batch-file/batch-fields.ts'
import { DAY_MS } from '#lib/durations.ts'
import type { XmlHandler } from './read-xml.ts'
import type { TableCollector } from './table-collector.ts'
import { UnreadableFile } from './unreadable-file.ts'

type SheetContext = {
  sharedStrings: readonly string[]
  /** The indexes of cell styles that show a number as a date. */
  dateStyles: ReadonlySet<number>
  /** Workbooks from old Macintosh programs count days from 1904. */
  is1904: boolean
}

type OpenCell = { column: number; type: string; style: number; text: string; hasFormula: boolean; hasValue: boolean }

/** The limit of a cell's text while it is read: one cell of 60 MB must not be held in memory. */
const TEXT_LENGTH_MAX = BATCH_CELL_LENGTH_MAX * 2

/** Returns what reads the XML of one sheet into `collector`. Hidden rows are left out and counted. */
export function sheetHandler(collector: TableCollector, context: SheetContext): XmlHandler & { hiddenRows(): number } {
  let [rowNumber, hiddenRows] = [0, 0]
  let isHidden = false
  let cells: BatchCell[] = []
  let cell: OpenCell | undefined
  let isInText = false
  return {
    hiddenRows: () => hiddenRows,
    open(name, attributes) {
      if (name === 'row') {
        rowNumber = Number(attributes['r'] ?? rowNumber + 1)
        isHidden = attributes['hidden'] === '1' || attributes['hidden'] === 'true'
        cells = []
      } else if (name === 'c') {
        const column = columnOf(attributes['r']) ?? cells.length
        cell = { column, type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0), text: '', hasFormula: false, hasValue: false }
      } else if (cell && name === 'f') cell.hasFormula = true
      else if (cell && (name === 'v' || name === 't')) {
        isInText = true
        cell.hasValue = true
      }
    },
    text(text) {
      if (cell && isInText && cell.text.length < TEXT_LENGTH_MAX) cell.text += text.slice(0, TEXT_LENGTH_MAX)
    },
    close(name) {
      if (name === 'v' || name === 't') isInText = false
      else if (name === 'c' && cell) {
        // Far to the right there are at most formats; a value there is one column too many.
        if (cell.column < BATCH_COLUMNS_MAX) fill(cells, cell.column, toCell(cell, context))
        else if (cell.text.trim() !== '') throw new UnreadableFile('too_many_columns', { columns: BATCH_COLUMNS_MAX })
        cell = undefined
      } else if (name === 'row') {
        if (!Number.isSafeInteger(rowNumber) || rowNumber < 1 || rowNumber > 1_048_576) throw new UnreadableFile('damaged_workbook')
        if (isHidden && cells.length > 0) hiddenRows++
        else if (!isHidden) collector.add(rowNumber, cells)
      }
    },
  }
}

function fill(cells: BatchCell[], column: number, value: BatchCell): void {
  while (cells.length < column) cells.push('')
  cells[column] = value
}

function columnOf(address: string | undefined): number | undefined {
  const letters = address === undefined ? null : /^([A-Z]{1,3})\d+$/.exec(address)
  if (!letters) return undefined
  return [...(letters[1] ?? '')].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function toCell(cell: OpenCell, context: SheetContext): BatchCell {
  const value = toValue(cell, context)
  if (!cell.hasFormula) return value
  // A program wrote the formula and computed nothing.
  if (!cell.hasValue) return { text: '', kind: 'error', isFormula: true }
  return typeof value === 'string' ? { text: value, kind: 'text', isFormula: true } : { ...value, isFormula: true }
}

function toValue({ type, style, text }: OpenCell, { sharedStrings, dateStyles, is1904 }: SheetContext): BatchCell {
  switch (type) {
    case 's':
      return sharedStrings[Number(text)] ?? ''
    case 'inlineStr':
    case 'str':
      return text
    case 'b':
      return text === '1' ? 'TRUE' : 'FALSE'
    case 'e':
      return { text, kind: 'error' }
    case 'd':
      return { text: text.slice(0, 10), kind: 'date' }
    default:
      if (text.trim() === '') return ''
      return dateStyles.has(style) ? { text: dateOf(Number(text), is1904), kind: 'date' } : { text: text.trim(), kind: 'number' }
  }
}

function dateOf(days: number, is1904: boolean): string {
  const at = new Date((is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)) + days * DAY_MS)
  return Number.isNaN(at.getTime()) ? String(days) : at.toISOString().slice(0, 10)
}
