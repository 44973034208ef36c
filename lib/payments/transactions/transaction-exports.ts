import { PAYMENT_TEXT_NAMES } from '../payment-fields.ts'
import type { SumDto } from './transaction-list.ts'

/** The files that a list can be taken out as. */
export const EXPORT_FORMATS = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The columns of the list of transactions. An export holds those that the person chose, in their order. */
export const LIST_COLUMNS = [
  'time',
  'type',
  'status',
  'amount',
  ...PAYMENT_TEXT_NAMES,
  'operator',
  'note',
  'id',
  'externalId',
  'payToken',
  'fees',
  'maker',
  'finished',
] as const
export type ListColumn = (typeof LIST_COLUMNS)[number]

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
