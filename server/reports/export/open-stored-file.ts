import { createHash } from 'node:crypto'
import type { ExportDto } from '#lib/export-dto.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type FileLimits, type FilePieces, guardFile } from './export-file.ts'
import { takeExportSlot } from './export-slots.ts'
import { findExport } from './list-exports.ts'
import { selectPiece } from './stored-file-store.ts'

type StoredExport = { record: ExportDto; file: FilePieces }

/**
 * Opens a stored file for another download, and records who downloads it. The bytes are those of the first download: if they had another
 * SHA-256, the transfer would be aborted before its end. `not_found`: the application has no such export, or its file is not stored.
 * `busy`: the application has as many exports in progress as it may; each download holds pieces in memory for as long as it is read.
 */
export async function openStoredFile(
  deps: { pool: Pool; reportPool: Pool; limits?: FileLimits },
  request: { applicationId: string; personId: string; exportId: string },
): Promise<Result<StoredExport, 'not_found' | 'busy'>> {
  const { applicationId, exportId } = request
  const record = await findExport(deps.pool, applicationId, exportId)
  if (!record?.isStored || record.fileSha256 === null) return err('not_found')
  const { fileSha256 } = record
  const slot = takeExportSlot(applicationId, deps.reportPool.options.max ?? 0)
  if (!slot) return err('busy')
  try {
    await recordDownload(deps.pool, { ...request, fileSha256 })
    const pieces = readPieces(deps.pool, { applicationId, exportId, fileSha256 })
    return ok({ record, file: guardFile(pieces, async () => slot.release(), deps.limits) })
  } catch (error) {
    slot.release()
    throw error
  }
}

async function recordDownload(
  pool: Pool,
  { applicationId, personId, exportId, fileSha256 }: { applicationId: string; personId: string; exportId: string; fileSha256: string },
): Promise<void> {
  await withTransaction(pool, async (trx) => {
    await appendAudit(trx, {
      applicationId,
      actor: { kind: 'person', id: personId },
      action: 'export.downloaded',
      subject: exportId,
      details: { fileSha256 },
    })
    return ok(null)
  })
}

async function* readPieces(
  pool: Pool,
  { applicationId, exportId, fileSha256 }: { applicationId: string; exportId: string; fileSha256: string },
): FilePieces {
  const hash = createHash('sha256')
  let held = await selectPiece(pool, { applicationId, exportId, number: 0 })
  for (let number = 1; held; number++) {
    hash.update(held)
    const next = await selectPiece(pool, { applicationId, exportId, number })
    if (!next) break
    yield held
    held = next
  }
  if (hash.digest('hex') !== fileSha256) throw new Error(`The stored file of export ${exportId} is not whole`)
  if (held) yield held
}
