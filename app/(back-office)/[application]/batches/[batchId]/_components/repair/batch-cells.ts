import type { BatchCellsDto } from '#lib/batches/batches.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import { resource } from '#lib/pages/queries.ts'
import { hasParts, isListOf } from '#lib/pages/query-client.ts'

/** Cells of one field of a batch, in a version of it. */
export function batchCells(application: string, batchId: string, version: number, query: QueryValues) {
  return resource(
    application,
    ['batch-cells', application, batchId, version, query],
    [`batches/${batchId}/cells`, query],
    (answer): answer is BatchCellsDto =>
      hasParts<BatchCellsDto>('cells', 'total')(answer) &&
      isListOf(hasParts<BatchCellsDto['cells'][number]>('rowNumber', 'value'))(answer.cells),
  )
}
