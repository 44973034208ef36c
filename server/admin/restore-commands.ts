import { z } from 'zod'
import { systemClock } from '#server/clock.ts'
import { prepareRestored } from '#server/process/after-restore.ts'
import { noteBackup } from '#server/process/note-backup.ts'
import { AdminError, type Command, type Options, optional, unwrap } from './command.ts'

const NOTE_OPTIONS = { at: optional('INSTANT'), note: optional('TEXT') }
const instant = z.iso.datetime({ offset: true })

/** Backups, and what follows a restore of the database. */
export const RESTORE_COMMANDS: readonly Command[] = [
  {
    name: 'after-restore',
    summary: 'Prepare a restored database before the service starts: operators are asked before anything is sent, webhooks are held',
    options: {},
    async run(pool) {
      const { unsent, open, heldWebhooks } = unwrap(await prepareRestored(pool, systemClock.now()))
      return {
        facts: {
          askedBeforeSending: String(unsent),
          askedInAll: String(open),
          heldWebhooks: String(heldWebhooks),
          next: 'Start the service. Where a partner misses held webhooks, send them again: Webhooks, Recover webhooks, Failed since.',
        },
      }
    },
  },
  noteCommand('note-backup', 'backup', 'Note that a base backup was made, for the page Installation'),
  noteCommand('note-restore-test', 'restore_test', 'Note that a backup was restored for a test, for the page Installation'),
]

function noteCommand(name: string, kind: 'backup' | 'restore_test', summary: string): Command {
  return {
    name,
    summary,
    options: NOTE_OPTIONS,
    async run(pool, options) {
      const now = systemClock.now()
      const happenedAt = instantOf(options) ?? now
      unwrap(await noteBackup(pool, { kind, happenedAt, note: options['note'] ?? '' }, now))
      return { facts: { noted: happenedAt.toISOString() } }
    },
  }
}

/** --at: when it was; undefined: now. */
function instantOf(options: Options): Date | undefined {
  const text = options['at']
  if (text === undefined) return undefined
  if (!instant.safeParse(text).success) throw new AdminError('--at takes an instant with its zone, such as 2026-11-23T02:41:07Z.', 2)
  return new Date(text)
}
