import { type BatchCell, cellKind, cellText } from '#lib/batches/batch-fields.ts'
import { MAPPED_COLUMNS_MAX } from '#lib/reconciliation/statement-columns.ts'
import { cleanCell } from '#server/batches/read-file/table-collector.ts'

/** A line has at least an id, a time and an amount; a row with less is a note. */
export const CELLS_MIN = 3
/** Of a cell, in the rows that are shown to a person. */
const SAMPLE_TEXT_MAX = 120
const TOTAL = /^(grand |sub)?totaux?\b|^(grand |sub)?totals?\b/i

/** The text of a cell, without the characters that programs leave in it. */
export function textOf(cell: BatchCell): string {
  return cellText(cleanCell(cell))
}

/** Whether a cell is a formula, whose stored result may be out of date. */
export const isFormula = (cell: BatchCell) => typeof cell !== 'string' && cell.isFormula
export const isError = (cell: BatchCell) => typeof cell !== 'string' && cellKind(cell) === 'error'
const isFilled = (cell: BatchCell) => cell !== '' && textOf(cell) !== ''

/** A row as a person sees it who says what its columns are: bounded, and text that can be stored. */
export function sampleOf(row: readonly string[]): string[] {
  return row.slice(0, MAPPED_COLUMNS_MAX).map((text) => text.slice(0, SAMPLE_TEXT_MAX).toWellFormed())
}

/** As many filled cells as there are, but no more than matter. */
export function countFilled(cells: readonly BatchCell[]): number {
  let count = 0
  for (const cell of cells) if (isFilled(cell) && ++count === CELLS_MIN) break
  return count
}

/** Whether a row is a sum that the operator printed below its lines. */
export function isTotal(cells: readonly BatchCell[]): boolean {
  const first = cells.find(isFilled)
  return first !== undefined && TOTAL.test(textOf(first))
}
