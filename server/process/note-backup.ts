import { err, type Result } from '#lib/result.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { type BackupNote, upsertBackupNote } from './process-store.ts'

const NOTE_LENGTH_MAX = 500
/** The clocks of two machines may differ a little. */
const AHEAD_MAX_MS = 60_000

/**
 * Notes that a base backup or a restore test was made, for the page Installation. The audit record keeps all of them, the page shows the
 * last. Refused: an instant in the future, one that is older than what is noted, a note of more than 500 characters.
 */
export function noteBackup(
  pool: Pool,
  note: BackupNote,
  now: Date,
): Promise<Result<void, 'happens_in_the_future' | 'newer_is_noted' | 'note_too_long'>> {
  return runRecorded(pool, { applicationId: SERVICE_WIDE, actor: SYSTEM_ACTOR }, async (trx) => {
    if (note.note.length > NOTE_LENGTH_MAX) return err('note_too_long')
    if (note.happenedAt.getTime() > now.getTime() + AHEAD_MAX_MS) return err('happens_in_the_future')
    if (!(await upsertBackupNote(trx, note))) return err('newer_is_noted')
    const action = note.kind === 'backup' ? 'installation.backup_noted' : 'installation.restore_test_noted'
    return done({ action, subject: note.happenedAt.toISOString(), details: { note: note.note } })
  })
}
