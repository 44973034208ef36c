import { randomUUID } from 'node:crypto'
import { ATTACHMENT_BYTES_MAX, type AttachmentDto, type AttachmentProblem } from '#lib/payments/attachments.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { digestUpload, storeUploadPiece } from '#server/uploads/pieces.ts'
import {
  ATTACHMENT_TABLES,
  type AttachmentFile,
  copyAttachment,
  countUnsentPayments,
  deleteAttached,
  deleteOtherUpload,
  deleteUnused,
  insertUpload,
  isSent,
  listWithUnused,
  lockAttachment,
  readAttachment,
  updateAttached,
} from './attachment-store.ts'
import { checkContent, type FileEnds, ZIP_END_MAX } from './check-content.ts'

/** Of how many payments that were not sent a person may have files, as many as drafts: 5 MB each, for a day or while there is a draft. */
export const UNSENT_MAX = 20

type Command = { applicationId: string; actor: PersonCommandActor }
type BeginAttachment = Command & { externalId: string; fileName: string; bytes: number; modifiedMs: number }
type BeginFailure = 'not_permitted' | 'invalid' | 'too_large' | 'too_many' | 'already_sent'

/**
 * Begins the upload of a file for a payment that its maker is writing, or continues one that was interrupted. Returns the pieces that need not be
 * sent again. An upload of another file for the same payment ends.
 */
export async function beginAttachment(
  pool: Pool,
  { applicationId, actor, externalId, fileName, bytes, modifiedMs }: BeginAttachment,
): Promise<Result<{ fileId: string; pieces: number[] }, BeginFailure>> {
  if (!mayAct(actor, applicationId, 'transaction:create')) return err('not_permitted')
  if (!isCleanText(fileName)) return err('invalid')
  if (bytes > ATTACHMENT_BYTES_MAX) return err('too_large')
  const upload = { applicationId, personId: actor.id, externalId, fileId: randomUUID(), fileName, byteCount: bytes, modifiedMs }
  return withTransaction<{ fileId: string; pieces: number[] }, BeginFailure>(pool, async (trx) => {
    if (await isSent(trx, applicationId, externalId)) return err('already_sent')
    if ((await countUnsentPayments(trx, upload)) >= UNSENT_MAX) return err('too_many')
    await deleteOtherUpload(trx, upload)
    return ok(await insertUpload(trx, upload))
  })
}

type StorePiece = Command & { fileId: string; number: number; bytes: Uint8Array }

/** Stores one piece. Sent again, it changes nothing. `not_found`: no such upload of this person, or it is complete. */
export async function storeAttachmentPiece(
  pool: Pool,
  { applicationId, actor, fileId, number, bytes }: StorePiece,
): Promise<Result<null, 'not_permitted' | 'not_found' | 'invalid'>> {
  if (!mayAct(actor, applicationId, 'transaction:create')) return err('not_permitted')
  const piece = { applicationId, fileId, personId: actor.id, number, bytes, fileBytesMax: ATTACHMENT_BYTES_MAX }
  return storeUploadPiece(pool, ATTACHMENT_TABLES, piece)
}

type AttachFailure = 'not_permitted' | 'not_found' | 'incomplete' | AttachmentProblem

/**
 * Completes an upload: checks what the file is, and attaches it to its payment in place of an earlier one. `already_sent`: the payment was sent
 * meanwhile, and what its checkers see no longer changes. The content is read before the lock is taken, since pieces of a complete upload never change.
 */
export async function attachFile(
  pool: Pool,
  { applicationId, actor, fileId }: Command & { fileId: string },
): Promise<Result<AttachmentDto, AttachFailure>> {
  if (!mayAct(actor, applicationId, 'transaction:create')) return err('not_permitted')
  const file = await readAttachment(pool, { applicationId, fileId })
  if (file?.uploadedBy !== actor.id) return err('not_found')
  const read = await readContent(pool, file)
  if (!read) return err('incomplete')
  const checked = checkContent(read.ends, file.fileName)
  if (!checked.ok) return err(checked.error)
  const [mediaType, sha256] = [checked.value, read.sha256.toString('hex')]
  const attached = { fileName: file.fileName, mediaType, bytes: Number(file.byteCount), sha256, isKept: true }
  return runRecorded<AttachmentDto, AttachFailure>(pool, { applicationId, actor }, async (trx) => {
    await lockCounters(trx, applicationId)
    const now = await lockAttachment(trx, file)
    if (!now) return err('not_found')
    // Completed by another request of the same page.
    if (now.state === 'attached') return done(null, attached)
    if (await isSent(trx, applicationId, file.externalId)) return err('already_sent')
    const before = await deleteAttached(trx, { ...file, personId: actor.id })
    await updateAttached(trx, file, { mediaType, sha256: read.sha256 })
    const details = {
      name: file.fileName,
      type: mediaType,
      bytes: attached.bytes,
      sha256,
      ...(before !== undefined && { replaced: before }),
    }
    return done({ action: 'attachment.stored', subject: file.externalId, details }, attached)
  })
}

/** The digest of a complete upload and the ends of its content; undefined if pieces are missing. One piece is in memory, and these ends. */
async function readContent(pool: Pool, file: AttachmentFile): Promise<{ sha256: Buffer; ends: FileEnds } | undefined> {
  let [head, tail]: [Buffer | undefined, Buffer] = [undefined, Buffer.alloc(0)]
  const sha256 = await digestUpload(pool, ATTACHMENT_TABLES, file, (piece) => {
    head ??= piece
    tail = Buffer.concat([tail.subarray(-ZIP_END_MAX), piece.subarray(-ZIP_END_MAX)])
  })
  return sha256 && { sha256, ends: { head: head ?? tail, tail, byteCount: Number(file.byteCount) } }
}

type KeepFailure = 'not_permitted' | 'already_sent' | 'too_many' | 'not_found'

/**
 * Attaches the file of an earlier transaction to the payment that its maker sends in its place: a copy, so that each keeps its own. `sha256`:
 * the digest that the maker saw. `not_found`: that transaction has no such file any longer, or the payment has a file of its own.
 */
export async function keepAttachment(
  pool: Pool,
  { applicationId, actor, externalId, transactionId, sha256 }: Command & { externalId: string; transactionId: string; sha256: string },
): Promise<Result<void, KeepFailure>> {
  return runCommand<void, KeepFailure>(pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    await lockCounters(trx, applicationId)
    const owner = { applicationId, personId: actor.id, externalId }
    if (await isSent(trx, applicationId, externalId)) return err('already_sent')
    if ((await countUnsentPayments(trx, owner)) >= UNSENT_MAX) return err('too_many')
    const copied = await copyAttachment(trx, owner, { transactionId, sha256, fileId: randomUUID() })
    if (!copied) return err('not_found')
    const details = { name: copied.fileName, type: copied.mediaType, bytes: Number(copied.byteCount), sha256, copiedFrom: transactionId }
    return done({ action: 'attachment.stored', subject: externalId, details })
  })
}

export type RemoveFailure = 'not_permitted' | 'not_found' | 'already_sent'

/** Removes the file from a payment that its maker has not sent yet. */
export async function removeAttachment(
  pool: Pool,
  { applicationId, actor, externalId }: Command & { externalId: string },
): Promise<Result<void, RemoveFailure>> {
  return runCommand<void, RemoveFailure>(pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    await lockCounters(trx, applicationId)
    if (await isSent(trx, applicationId, externalId)) return err('already_sent')
    const name = await deleteAttached(trx, { applicationId, externalId, personId: actor.id })
    return name === undefined ? err('not_found') : done({ action: 'attachment.removed', subject: externalId, details: { name } })
  })
}

/** How long a file is kept for a payment that is neither sent nor saved as a draft. */
const UNUSED_KEPT_MS = DAY_MS
/** So few that intake hardly waits for the lock. */
const REMOVED_AT_ONCE = 5

/** Removes the files of payments that were never sent. Under the lock of the counters, so that no payment starts while its file is removed. */
export async function forgetAttachments(pool: Pool, now: Date): Promise<void> {
  const before = new Date(now.getTime() - UNUSED_KEPT_MS)
  for (const applicationId of await listWithUnused(pool, before))
    for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE; ) {
      const step = await withTransaction<number, never>(pool, async (trx) => {
        await lockCounters(trx, applicationId)
        return ok(await deleteUnused(trx, applicationId, before, REMOVED_AT_ONCE))
      })
      removed = step.ok ? step.value : 0
    }
}
