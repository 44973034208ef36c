import type { Translate } from '#lib/i18n/translate.ts'
import type { ExportedRow } from './export-columns.ts'
import type { ExportResult, ExportSubject } from './export-record.ts'

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
