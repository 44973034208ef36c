import { createHash } from 'node:crypto'
import { type Currency, formatMinor } from '#lib/money.ts'
import type { SumDto } from '#lib/transaction-row.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { createCsvWriter } from './csv-writer.ts'
import type { ExportResult } from './export-record.ts'
import type { ExportWriter, WriterOptions } from './export-writer.ts'
import { createXlsxWriter } from './xlsx-writer.ts'

export type FileResult = ExportResult & { fileSha256: string; fileBytes: number }

/**
 * Writes a file from batches of rows, piece by piece: never more than a batch is in memory. The first batch is read before the first byte
 * is made, so that a list that cannot be read is a refusal and not a broken file. `onEnd` gets counts and digests before the last
 * bytes leave, so that the record exists when the file is complete.
 */
export async function* writeExport(
  options: WriterOptions,
  batches: AsyncGenerator<readonly Transaction[], void, undefined>,
  onEnd: (result: FileResult) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = options.subject.format === 'csv' ? createCsvWriter(options) : createXlsxWriter(options)
  try {
    yield* writeBatches(writer, batches, onEnd)
  } finally {
    writer.discard()
  }
}

async function* writeBatches(
  writer: ExportWriter,
  batches: AsyncGenerator<readonly Transaction[], void, undefined>,
  onEnd: (result: FileResult) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  const file = createHash('sha256')
  const sums = new Map<Currency, { count: number; amountMinor: bigint }>()
  let rowCount = 0
  let fileBytes = 0
  function passed(chunk: Buffer): Buffer {
    file.update(chunk)
    fileBytes += chunk.length
    return chunk
  }
  let step = await batches.next()
  for (const chunk of await writer.open()) yield passed(chunk)
  for (; !step.done; step = await batches.next()) {
    const batch = step.value
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
