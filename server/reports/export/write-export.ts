import { createHash } from 'node:crypto'
import type { Translate } from '#lib/i18n/translate.ts'
import { type Currency, formatMinor } from '#lib/money.ts'
import type { SumDto } from '#lib/transaction-row.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { createCsvWriter } from './csv-writer.ts'
import type { ExportResult, ExportSubject } from './export-record.ts'
import { createXlsxWriter } from './xlsx-writer.ts'

export type WriterOptions = { subject: ExportSubject; t: Translate }

export type Counted = Pick<ExportResult, 'rowCount' | 'totals'>

/** One file format: each method gives the bytes that are ready to leave. */
export type ExportWriter = {
  open(): Buffer[] | Promise<Buffer[]>
  rows(rows: readonly Transaction[]): Buffer[] | Promise<Buffer[]>
  close(counted: Counted): { chunks: Buffer[]; result: ExportResult } | Promise<{ chunks: Buffer[]; result: ExportResult }>
}

export type FileResult = ExportResult & { fileSha256: string; fileBytes: number }

/**
 * Writes a file from batches of rows, piece by piece: never more than a batch is in memory. `onEnd` gets counts and digests before the
 * last bytes leave, so that whoever has the whole file finds its record.
 */
export async function* writeExport(
  options: WriterOptions,
  batches: AsyncIterable<readonly Transaction[]>,
  onEnd: (result: FileResult) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = options.subject.format === 'csv' ? createCsvWriter(options) : createXlsxWriter(options)
  const file = createHash('sha256')
  const sums = new Map<Currency, { count: number; amountMinor: bigint }>()
  let rowCount = 0
  let fileBytes = 0
  function passed(chunk: Buffer): Buffer {
    file.update(chunk)
    fileBytes += chunk.length
    return chunk
  }
  for (const chunk of await writer.open()) yield passed(chunk)
  for await (const batch of batches) {
    rowCount += batch.length
    for (const row of batch) {
      const sum = sums.get(row.currency) ?? { count: 0, amountMinor: 0n }
      sums.set(row.currency, { count: sum.count + 1, amountMinor: sum.amountMinor + row.amountMinor })
    }
    for (const chunk of await writer.rows(batch)) yield passed(chunk)
  }
  const totals: SumDto[] = [...sums]
    .map(([currency, { count, amountMinor }]) => ({ currency, count, amount: formatMinor(amountMinor) }))
    .sort((left, right) => (left.currency < right.currency ? -1 : 1))
  const { chunks, result } = await writer.close({ rowCount, totals })
  const last = chunks.map(passed)
  await onEnd({ ...result, fileSha256: file.digest('hex'), fileBytes })
  yield* last
}
