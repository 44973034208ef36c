import type { Translate } from '#lib/i18n/translate.ts'
import type { ExportDto, ExportFormat, ListColumn } from '#lib/payments/transactions/transaction-exports.ts'
import type { SumDto } from '#lib/payments/transactions/transaction-list.ts'
import { chooseColumns, type ExportedRow } from './export-columns.ts'

/** The facts about a file known before its first row. */
export type ExportSubject = {
  exportId: string
  applicationName: string
  personName: string
  format: ExportFormat
  /** The filters as in the address of the list; empty: everything. */
  query: string
  /** How many rows were selected, if the file holds a selection. */
  selected: number | null
  /** The columns of the list that were chosen, in order; null: all. */
  columns: readonly ListColumn[] | null
  /** The zone whose days the filter means. */
  timeZone: string
  /** Rows that others committed after this instant are not in the file. */
  cutOffAt: Date
}

/** The facts known after its last row. */
export type ExportResult = { rowCount: number; totals: SumDto[]; dataSha256: string }

/**
 * The record in a workbook, as names and values. Always in English, like the heads of a CSV, because programs and auditors
 * read it years later.
 */
export function recordLines(subject: ExportSubject, result: ExportResult): [string, string][] {
  return [
    ['Countersign export', subject.exportId],
    ['Application', subject.applicationName],
    ['Exported by', subject.personName],
    ['Filter', subject.query === '' ? '(none)' : subject.query],
    ['Days of the filter', subject.timeZone],
    ...(subject.selected === null ? [] : [['Selected rows', String(subject.selected)] as [string, string]]),
    ['Columns', columnNames(subject.columns).join(', ')],
    ['Cut-off (UTC)', subject.cutOffAt.toISOString()],
    ['Rows', String(result.rowCount)],
    ...result.totals.map((total): [string, string] => [`Total ${total.currency}`, `${total.amount} in ${total.count} rows`]),
    ['SHA-256 of the data', result.dataSha256],
  ]
}

/** The record of an export as a file of its own beside the data, ready for JSON. */
export function toRecordFile(applicationName: string, one: ExportDto) {
  return {
    exportId: one.exportId,
    application: applicationName,
    exportedBy: one.personName,
    format: one.format,
    filter: one.query,
    filterTimeZone: one.timeZone,
    selectedRows: one.selected,
    columns: columnNames(one.columns),
    cutOffAt: one.cutOffAt,
    finishedAt: one.finishedAt,
    rows: one.rowCount,
    totals: one.totals,
    fileSha256: one.fileSha256,
  }
}

function columnNames(columns: readonly ListColumn[] | null): string[] {
  return chooseColumns(columns).map((column) => column.id)
}

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The media type of an exported list, and its name: the same for every download. */
export function describeFile(
  application: string,
  { format, cutOffAt }: { format: ExportFormat; cutOffAt: Date },
): { type: string; fileName: string } {
  const at = cutOffAt.toISOString().slice(0, 19).replaceAll(':', '-')
  return { type: TYPES[format], fileName: `transactions-${application}-${at}Z.${format}` }
}

export type WriterOptions = { subject: ExportSubject; t: Translate }

type Counted = Pick<ExportResult, 'rowCount' | 'totals'>

/** One file format: each method returns the bytes that are ready to leave. */
export type ExportWriter = {
  open(): Buffer[] | Promise<Buffer[]>
  rows(rows: readonly ExportedRow[]): Buffer[] | Promise<Buffer[]>
  close(counted: Counted): { chunks: Buffer[]; result: ExportResult } | Promise<{ chunks: Buffer[]; result: ExportResult }>
  /** Frees what the file was made with, finished or not. */
  discard(): void
}
