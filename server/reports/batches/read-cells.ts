import type { BatchCellsDto, ProblemPages, RowFilter } from '#lib/batches/batches.ts'
import type { BatchCellsQuery } from '#lib/schemas/batch.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectBatch } from './batch-report-store.ts'
import { selectCells, selectProblemPages } from './cell-store.ts'

/** The cells that one repair would change: those below one of them, or those with the same mistake. Undefined if there is no such draft. */
export async function readBatchCells(
  queryable: Queryable,
  place: { applicationId: string; batchId: string },
  { field, show, from, kind, value }: BatchCellsQuery,
): Promise<BatchCellsDto | undefined> {
  const batch = await selectBatch(queryable, place.applicationId, place.batchId)
  if (batch?.state !== 'draft') return undefined
  const alike = kind === undefined ? null : { kind, value }
  const cells = await selectCells(queryable, place, { field, column: batch.columns?.[field] ?? null, show, from, alike })
  return { cells: cells.map(({ total: _, ...cell }) => cell), total: cells[0]?.total ?? 0 }
}

/** Of the pages of a list of rows, the nearest ones with a problem, before and after the one that is shown. */
export async function readProblemPages(
  queryable: Queryable,
  place: { applicationId: string; batchId: string },
  list: { show: RowFilter; page: number },
): Promise<ProblemPages> {
  return selectProblemPages(queryable, place, list)
}
