import { createHash } from 'node:crypto'
import type { AttachmentDto } from '#lib/payments/attachments.ts'
import type { Pool } from '#server/database/pool.ts'
import { readUploadPieces } from '#server/uploads/pieces.ts'
import { ATTACHMENT_TABLES, findFileOf } from './attachment-store.ts'

export type OpenAttachment = { attachment: AttachmentDto; content: AsyncGenerator<Buffer, void, undefined> }

/** Opens the file of a transaction; undefined if it has none, or its file is no longer kept. */
export async function openAttachment(
  pool: Pool,
  { applicationId, transactionId }: { applicationId: string; transactionId: string },
): Promise<OpenAttachment | undefined> {
  const found = await findFileOf(pool, applicationId, transactionId)
  if (!found?.shown.isKept) return undefined
  const { fileId, shown: attachment } = found
  return { attachment, content: readWhole(pool, { applicationId, fileId, sha256: attachment.sha256 }) }
}

/**
 * The pieces of a file, one at a time. The last one is held back until the digest is known: of a file that is not what its checkers signed, the
 * transfer breaks off before its end.
 */
async function* readWhole(
  pool: Pool,
  { applicationId, fileId, sha256 }: { applicationId: string; fileId: string; sha256: string },
): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256')
  let held: Buffer | undefined
  for await (const piece of readUploadPieces(pool, ATTACHMENT_TABLES, { applicationId, fileId })) {
    if (held) yield held
    hash.update(piece)
    held = piece
  }
  if (hash.digest('hex') !== sha256) throw new Error(`The attachment ${fileId} is not whole`)
  if (held) yield held
}
