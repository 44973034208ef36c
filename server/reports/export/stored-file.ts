import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { deletePieces, insertPiece } from './stored-file-store.ts'

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
