import type { RowFilter } from '#lib/batch-dto.ts'
import { BATCH_FIELDS } from '#lib/batch-file/batch-fields.ts'
import { type BatchWords, operatorText, problemText, warningText } from '#lib/batch-text.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Batch } from '#server/batches/batch.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type FilePieces, guardFile } from '../export/export-file.ts'
import { takeExportSlot } from '../export/export-slots.ts'
import { type StoredRow, selectBatch, selectRows } from './batch-report-store.ts'
import { toRow } from './read-batch.ts'
import { writeTextWorkbook } from './text-workbook.ts'

const PART = 500

type DownloadRows = { applicationId: string; personId: string; batchId: string; show: RowFilter; words: BatchWords }

/**
 * Returns the rows of a batch as a workbook, each with what was found about it. Its first columns have the headers of the template, so
 * that the file can be corrected and uploaded again. An audit entry is written before the first byte.
 */
export async function downloadRows(
  deps: { pool: Pool; reportPool: Pool },
  { applicationId, personId, batchId, show, words }: DownloadRows,
): Promise<Result<{ file: FilePieces; name: string }, 'not_found' | 'busy'>> {
  const batch = await selectBatch(deps.pool, applicationId, batchId)
  if (!batch) return err('not_found')
  const slot = takeExportSlot(applicationId, deps.reportPool.options.max ?? 0)
  if (!slot) return err('busy')
  try {
    await withTransaction(deps.pool, async (trx) => {
      const actor = { kind: 'person' as const, id: personId }
      await appendAudit(trx, { applicationId, actor, action: 'batch.exported', subject: batchId, details: { rows: show } })
      return ok(null)
    })
  } catch (error) {
    slot.release()
    throw error
  }
  const { t } = words
  const heads = [
    ...BATCH_FIELDS.map((field) => t(`batches.template.${field}`)),
    t('batches.row'),
    t('batches.result'),
    t('batches.reasons'),
  ]
  const file = writeTextWorkbook(t('batches.rows'), heads, readParts(deps.reportPool, batch, show, words))
  return ok({ file: guardFile(file, async () => slot.release()), name: batchId })
}

async function* readParts(pool: Pool, batch: Batch, show: RowFilter, words: BatchWords): AsyncGenerator<string[][]> {
  for (let offset = 0; ; offset += PART) {
    const rows = await selectRows(pool, batch, { show, offset, limit: PART })
    if (rows.length > 0) yield rows.map((row) => toCells(row, batch, words))
    if (rows.length < PART) return
  }
}

function toCells(stored: StoredRow, batch: Batch, words: BatchWords): string[] {
  const { t } = words
  const row = toRow(stored, batch.columns)
  const state =
    row.exclusion !== null
      ? 'excluded'
      : row.problems.length > 0 || stored.refusal !== null
        ? 'refused'
        : stored.transactionId
          ? 'started'
          : 'ready'
  return [
    ...BATCH_FIELDS.map((field) => {
      if (field === 'operator' && row.operator) return row.operator
      if (field === 'phone' && row.phoneNumber) return row.phoneNumber
      return row.typed[field]
    }),
    String(row.rowNumber),
    t(`batches.rowState.${state}`),
    [
      ...(row.exclusion === null ? [] : [row.exclusion]),
      ...(stored.refusal === null ? [] : [t('batches.rowRefused', { operator: row.operator ? operatorText(t, row.operator) : '' })]),
      ...row.problems.map((problem) => problemText(words, problem)),
      ...row.warnings.map((warning) => warningText(words, warning)),
    ].join(' · '),
  ]
}
