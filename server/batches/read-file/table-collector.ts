import { BATCH_CELL_LENGTH_MAX, BATCH_COLUMNS_MAX, BATCH_ROWS_MAX, type BatchCell, cellKind, cellText } from '#lib/batches/batch-fields.ts'
import type { FileProblem, FileProblemKind } from '#lib/batches/file-problem.ts'
import { isHeaderRow } from '#lib/batches/recognise-columns.ts'

/** A row with the number that a spreadsheet shows beside it. */
export type FileRow = { rowNumber: number; cells: BatchCell[] }
export type FileTable = { headers: string[]; rows: FileRow[]; rowsAbove: number }

/** The number of rows searched for a header; titles, dates and empty rows are above it. */
const HEADER_WITHIN = 20
const CONTROLS = /\p{Cc}+/gu

/** Collects the rows of a file within its limits, and finds the header among the first of them. Rows without any text are left out. */
export class TableCollector {
  readonly #rows: FileRow[] = []
  #headerAt: number | undefined

  add(rowNumber: number, cells: readonly BatchCell[]): void {
    const kept = trimEnd(cells)
    if (kept.length === 0) return
    if (kept.length > BATCH_COLUMNS_MAX) throw new UnreadableFile('too_many_columns', { columns: BATCH_COLUMNS_MAX })
    const cleaned = kept.map(cleanCell)
    if (this.#headerAt === undefined && this.#rows.length < HEADER_WITHIN && isHeaderRow(cleaned.map(cellText))) {
      this.#headerAt = this.#rows.length
    }
    this.#rows.push({ rowNumber, cells: cleaned })
    // With a header and what may be above it.
    if (this.#rows.length > BATCH_ROWS_MAX + HEADER_WITHIN + 1) throw new UnreadableFile('too_many_rows', { rows: BATCH_ROWS_MAX })
  }

  /** Returns the rows below the header. Without a known header, a first row without any longer number is taken for one. */
  finish(): FileTable {
    const [first] = this.#rows
    if (!first) throw new UnreadableFile('no_rows')
    const headerAt = this.#headerAt ?? (first.cells.some(hasNumber) ? undefined : 0)
    const rows = headerAt === undefined ? this.#rows : this.#rows.slice(headerAt + 1)
    if (rows.length === 0) throw new UnreadableFile('no_rows')
    if (rows.length > BATCH_ROWS_MAX) throw new UnreadableFile('too_many_rows', { rows: BATCH_ROWS_MAX })
    if (Math.max(...this.#rows.slice(0, HEADER_WITHIN).map(({ cells }) => cells.length)) < 2) throw new UnreadableFile('one_column')
    const headers = headerAt === undefined ? [] : (this.#rows[headerAt]?.cells ?? []).map((cell) => cellText(cell).slice(0, 100))
    return { headers, rows, rowsAbove: headerAt ?? 0 }
  }
}

function trimEnd(cells: readonly BatchCell[]): readonly BatchCell[] {
  let length = cells.length
  while (length > 0 && isEmpty(cells[length - 1])) length--
  return cells.slice(0, length)
}

function isEmpty(cell: BatchCell | undefined): boolean {
  return cellText(cell).trim() === '' && cellKind(cell) !== 'error'
}

/** Returns the cell with a text that can be stored and shown in one line, within the length that any field may have. */
export function cleanCell(cell: BatchCell): BatchCell {
  if (typeof cell === 'string') return cleanText(cell)
  return { ...cell, text: cleanText(cell.text) }
}

function cleanText(text: string): string {
  return text.slice(0, BATCH_CELL_LENGTH_MAX).toWellFormed().replace(CONTROLS, ' ').trim()
}

function hasNumber(cell: BatchCell): boolean {
  return /\d{5,}/.test(cellText(cell).replace(/[\s.+-]/g, ''))
}

/** Thrown inside the reader where a file cannot be read, and turned into a Result at its edge. */
export class UnreadableFile extends Error {
  readonly problem: FileProblem
  constructor(kind: FileProblemKind, values?: Record<string, number>) {
    super(kind)
    this.name = 'UnreadableFile'
    this.problem = values ? { kind, values } : { kind }
  }
}
