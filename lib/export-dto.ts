import type { ExportFormat, ListColumn } from './export-formats.ts'
import type { SumDto } from './transaction-row.ts'

/** One exported file. Without `finishedAt` the export was interrupted or is still running. */
export type ExportDto = {
  exportId: string
  personName: string
  format: ExportFormat
  query: string
  selected: number | null
  /** The columns of the list that were chosen, in order; null: all. */
  columns: ListColumn[] | null
  /** The zone whose days the filter means. */
  timeZone: string
  cutOffAt: string
  finishedAt: string | null
  rowCount: number | null
  totals: SumDto[] | null
  /** Hex. */
  fileSha256: string | null
  /** The same bytes can be downloaded again. */
  isStored: boolean
}
