import { randomUUID } from 'node:crypto'
import { STATEMENT_BYTES_MAX } from '#lib/reconciliation/statement-problem.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { digestUpload, readUploadPieces, storeUploadPiece } from '#server/uploads/pieces.ts'
import { announceClose } from '../close-revision-store.ts'
import { completeUpload, deleteAbandoned, insertUpload, lockStatementFile, STATEMENT_TABLES } from './statement-store.ts'

type Refusal = 'not_permitted' | 'not_the_installation' | 'unknown_wallet' | 'too_large'
type BeginUpload = {
  applicationId: string
  actor: PersonCommandActor
  wallet: string
  fileName: string
  bytes: number
  modifiedMs: number
}

/** Begins the upload of a statement, or continues one that was interrupted. Returns the pieces that need not be sent again. */
export async function beginUpload(
  pool: Pool,
  { applicationId, actor, wallet, fileName, bytes, modifiedMs }: BeginUpload,
): Promise<Result<{ fileId: string; pieces: number[] }, Refusal>> {
  if (!mayAct(actor, applicationId, 'reconciliation:work')) return err('not_permitted')
  if (!(await runsInstallation(pool, applicationId))) return err('not_the_installation')
  if (!findWallet(wallet)) return err('unknown_wallet')
  if (bytes > STATEMENT_BYTES_MAX) return err('too_large')
  const upload = { applicationId, fileId: randomUUID(), wallet, fileName, byteCount: bytes, modifiedMs, uploadedBy: actor.id }
  return ok(await insertUpload(pool, upload))
}

type Piece = { applicationId: string; actor: PersonCommandActor; fileId: string; number: number; bytes: Uint8Array }

/** Stores one piece. Sent again, it changes nothing. `not_found`: no such upload of this person, or it is complete. */
export async function storePiece(
  pool: Pool,
  { applicationId, actor, fileId, number, bytes }: Piece,
): Promise<Result<null, 'not_permitted' | 'not_found' | 'invalid'>> {
  if (!mayAct(actor, applicationId, 'reconciliation:work')) return err('not_permitted')
  const piece = { applicationId, fileId, personId: actor.id, number, bytes, fileBytesMax: STATEMENT_BYTES_MAX }
  return storeUploadPiece(pool, STATEMENT_TABLES, piece)
}

/**
 * Completes an upload. `incomplete`: pieces are missing. If the same content was uploaded for the wallet before, the result is that file
 * (`isKnown`), and this upload is removed.
 */
export async function finishUpload(
  pool: Pool,
  { applicationId, actor, fileId }: { applicationId: string; actor: PersonCommandActor; fileId: string },
): Promise<Result<{ fileId: string; isKnown: boolean }, 'not_permitted' | 'not_found' | 'incomplete'>> {
  if (!mayAct(actor, applicationId, 'reconciliation:work')) return err('not_permitted')
  type Failure = 'not_found' | 'incomplete'
  type Finished = { fileId: string; isKnown: boolean }
  return runRecorded<Finished, Failure>(pool, { applicationId, actor }, async (trx) => {
    const file = await lockStatementFile(trx, applicationId, fileId)
    if (file?.uploadedBy !== actor.id) return err('not_found')
    // Completed by another request of the same page.
    if (file.state !== 'uploading') return done(null, { fileId, isKnown: false })
    const sha256 = await digestUpload(trx, STATEMENT_TABLES, file)
    if (!sha256) return err('incomplete')
    const same = await completeUpload(trx, applicationId, fileId, sha256)
    if (same !== undefined) return done(null, { fileId: same, isKnown: true })
    await announceClose(trx, applicationId)
    const details = { name: file.fileName, wallet: file.wallet, sha256: sha256.toString('hex') }
    return done({ action: 'statement.uploaded', subject: fileId, details }, { fileId, isKnown: false })
  })
}

/** The bytes of a stored file, piece by piece. */
export function readPieces(queryable: Queryable, applicationId: string, fileId: string): AsyncGenerator<Uint8Array> {
  return readUploadPieces(queryable, STATEMENT_TABLES, { applicationId, fileId })
}

/** How long an interrupted upload can be continued. */
const UPLOADS_KEPT_DAYS = 7

/** Removes uploads that nobody has completed. */
export async function forgetUploads(pool: Pool, now: Date): Promise<void> {
  await deleteAbandoned(pool, new Date(now.getTime() - UPLOADS_KEPT_DAYS * DAY_MS))
}
