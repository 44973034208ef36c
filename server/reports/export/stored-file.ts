import { createHash } from 'node:crypto'
import type { ExportDto } from '#lib/payments/transactions/transaction-exports.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type FileLimits, type FilePieces, guardFile, takeExportSlot } from './export-file.ts'
import { type ExportRow, selectExport, selectExportByFile, selectExports } from './export-store.ts'
import { deletePieces, insertPiece, selectPiece } from './stored-file-store.ts'

/** Larger files are sent and not stored. */
const FILE_BYTES_MAX = 64 * 1024 * 1024
/** All stored files of one application; the oldest are removed first. */
export const STORED_BYTES_MAX = 8 * FILE_BYTES_MAX
const PIECE_BYTES = 512 * 1024

/** The copy of a file that can be downloaded again. */
export type StoredFile = {
  add(chunk: Buffer): Promise<void>
  /** Stores the rest. False: the file is too large, and nothing of it is stored. */
  finish(): Promise<boolean>
  /** Removes what was stored, unless the file was finished. Never throws. */
  discard(): Promise<void>
}

/** Stores a file in pieces while it is written, holding at most one piece in memory. */
export function storeFile(
  pool: Pool,
  { applicationId, exportId, bytesMax = FILE_BYTES_MAX }: { applicationId: string; exportId: string; bytesMax?: number },
): StoredFile {
  let chunks: Buffer[] = []
  let waitingBytes = 0
  let fileBytes = 0
  let number = 0
  let state: 'open' | 'finished' | 'dropped' = 'open'
  let writing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    const content = Buffer.concat(chunks)
    chunks = []
    waitingBytes = 0
    writing = insertPiece(pool, { applicationId, exportId, number }, content)
    number++
    await writing
  }

  async function drop(): Promise<void> {
    state = 'dropped'
    chunks = []
    // A piece that is on its way would arrive after the removal.
    await Promise.allSettled([writing])
    await deletePieces(pool, applicationId, exportId)
  }

  return {
    async add(chunk) {
      if (state !== 'open') return
      fileBytes += chunk.length
      if (fileBytes > bytesMax) return drop()
      chunks.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes >= PIECE_BYTES) await flush()
    },
    async finish() {
      if (state !== 'open') return false
      if (chunks.length > 0) await flush()
      // It may have been discarded meanwhile.
      if (state !== 'open') return false
      state = 'finished'
      return true
    },
    async discard() {
      if (state !== 'open') return
      await drop().catch((error: unknown) =>
        reportUnexpected('exports: stored file', error, { exportId, message: 'The pieces of an unfinished file are removed later' }),
      )
    },
  }
}

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
  const by = { applicationId, actor: { kind: 'person' as const, id: personId } }
  await recordAct(pool, by, { action: 'export.downloaded', subject: exportId, details: { fileSha256 } })
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

const SHOWN_MAX = 100

/** The newest files that were taken out of an application, ready for JSON. */
export async function listExports(queryable: Queryable, applicationId: string): Promise<ExportDto[]> {
  return (await selectExports(queryable, applicationId, SHOWN_MAX)).map(toDto)
}

/** The export that made exactly this file, by its SHA-256 in hex; undefined when the file was changed or is not from here. */
export async function findExportByFile(queryable: Queryable, applicationId: string, fileSha256: string): Promise<ExportDto | undefined> {
  const row = await selectExportByFile(queryable, applicationId, fileSha256)
  return row && toDto(row)
}

/** An export by its id; undefined when the application has none of that id. */
export async function findExport(queryable: Queryable, applicationId: string, exportId: string): Promise<ExportDto | undefined> {
  const row = await selectExport(queryable, applicationId, exportId)
  return row && toDto(row)
}

function toDto({ cutOffAt, finishedAt, rowCount, ...row }: ExportRow): ExportDto {
  return {
    ...row,
    cutOffAt: cutOffAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    rowCount: rowCount === null ? null : Number(rowCount),
  }
}
