import { z } from 'zod'
import { BATCH_CELL_LENGTH_MAX, BATCH_FIELDS, EDITED_CELLS_MAX, PROBLEM_KINDS } from '#lib/batches/batch-fields.ts'
import type { BatchRowDto } from '#lib/batches/batches.ts'
import type { CellRepair } from '#lib/batches/repair-queue.ts'

const text = z.string().max(BATCH_CELL_LENGTH_MAX)
const keptSchema = z
  .array(
    z.object({
      rowNumber: z.int().min(1),
      field: z.enum(BATCH_FIELDS),
      text: text.nullable(),
      before: z.object({ value: text, edit: text.nullable(), kind: z.enum(PROBLEM_KINDS).nullable() }),
    }),
  )
  .max(EDITED_CELLS_MAX)

/** Keeps texts that are not stored in this tab, over a reload; none removes them. More than one repair may change are not kept. */
export function keepCells(storageKey: string, cells: readonly CellRepair[]): void {
  if (cells.length > 0 && cells.length <= EDITED_CELLS_MAX) sessionStorage.setItem(storageKey, JSON.stringify(cells))
  else sessionStorage.removeItem(storageKey)
}

/** The texts that were not stored when the page was left, except those that these rows have by now. */
export function readKeptCells(storageKey: string, rows: readonly BatchRowDto[]): CellRepair[] {
  const kept = keptSchema.safeParse(JSON.parse(sessionStorage.getItem(storageKey) ?? '[]'))
  const isStored = ({ rowNumber, field, text }: CellRepair) =>
    rows.some((row) => row.rowNumber === rowNumber && (row.edits[field] ?? null) === text)
  return kept.success ? kept.data.filter((cell) => !isStored(cell)) : []
}
