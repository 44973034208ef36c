import { createHash } from 'node:crypto'
import { type Currency, formatMinor } from '#lib/money.ts'
import type { SumDto } from '#lib/transaction-row.ts'
import { createCsvWriter } from './csv-writer.ts'
import type { ExportedRow } from './export-columns.ts'
import type { ExportResult } from './export-record.ts'
import type { ExportWriter, WriterOptions } from './export-writer.ts'
import type { StoredFile } from './stored-file.ts'
import { createXlsxWriter } from './xlsx-writer.ts'

export type FileResult = ExportResult & { fileSha256: string; fileBytes: number; isStored: boolean }

type Batches = AsyncGenerator<readonly ExportedRow[], void, undefined>

/**
 * Writes a file from batches of rows, piece by piece: never more than a batch is in memory. The first batch is read before the first byte
 * is made, so that a list that cannot be read is a refusal and not a broken file. `stored` gets every byte too, and `onEnd` counts and digests,
 * before the last bytes leave, so that the record exists when the file is complete.
 */
export async function* writeExport(
  options: WriterOptions,
  batches: Batches,
  stored: StoredFile,
  onEnd: (result: FileResult) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  const writer = options.subject.format === 'csv' ? createCsvWriter(options) : createXlsxWriter(options)
  try {
    yield* writeBatches(writer, batches, stored, onEnd)
  } finally {
    writer.discard()
  }
}

async function* writeBatches(
  writer: ExportWriter,
  batches: Batches,
  stored: StoredFile,
  onEnd: (result: FileResult) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  const file = createHash('sha256')
  const sums = new Map<Currency, { count: number; amountMinor: bigint }>()
  let rowCount = 0
  let fileBytes = 0
  /** Made and not sent: the last bytes leave after the record is complete. */
  let held: Buffer | undefined
  async function* pass(chunks: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
    for (const chunk of chunks) {
      file.update(chunk)
      fileBytes += chunk.length
      await stored.add(chunk)
      if (held) yield held
      held = chunk
    }
  }
  let step = await batches.next()
  yield* pass(await writer.open())
  for (; !step.done; step = await batches.next()) {
    const batch = step.value
    rowCount += batch.length
    for (const row of batch) {
      const sum = sums.get(row.currency) ?? { count: 0, amountMinor: 0n }
      sums.set(row.currency, { count: sum.count + 1, amountMinor: sum.amountMinor + row.amountMinor })
    }
    yield* pass(await writer.rows(batch))
  }
  const totals: SumDto[] = [...sums]
    .map(([currency, { count, amountMinor }]) => ({ currency, count, amount: formatMinor(amountMinor) }))
    .sort((left, right) => (left.currency < right.currency ? -1 : 1))
  const { chunks, result } = await writer.close({ rowCount, totals })
  yield* pass(chunks)
  const isStored = await stored.finish()
  await onEnd({ ...result, fileSha256: file.digest('hex'), fileBytes, isStored })
  if (held) yield held
}
