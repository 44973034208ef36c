import type { ExportFormat } from '#lib/export-formats.ts'
import type { SumDto } from '#lib/transaction-row.ts'

/** What is known of a file before its first row. */
export type ExportSubject = {
  exportId: string
  applicationName: string
  personName: string
  format: ExportFormat
  /** The filters as in the address of the list; empty: everything. */
  query: string
  /** How many rows were selected, if the file holds a selection. */
  selected: number | null
  /** What others committed after this instant is not in the file. */
  cutOffAt: Date
}

/** What is known after its last row. */
export type ExportResult = { rowCount: number; totals: SumDto[]; dataSha256: string }

/**
 * The record in the file itself, as names and values. Always in English, like the heads of a CSV, because programs and auditors
 * read it years later.
 */
export function recordLines(subject: ExportSubject, result: ExportResult): [string, string][] {
  return [
    ['Countersign export', subject.exportId],
    ['Application', subject.applicationName],
    ['Exported by', subject.personName],
    ['Filter', subject.query === '' ? '(none)' : subject.query],
    ...(subject.selected === null ? [] : [['Selected rows', String(subject.selected)] as [string, string]]),
    ['Cut-off (UTC)', subject.cutOffAt.toISOString()],
    ['Rows', String(result.rowCount)],
    ...result.totals.map((total): [string, string] => [`Total ${total.currency}`, `${total.amount} in ${total.count} rows`]),
    ['SHA-256 of the data', result.dataSha256],
  ]
}

/** The row that ends the data of a CSV. The SHA-256 in the file covers everything before it, including the line break. */
export const CSV_RECORD_MARK = '#record'
