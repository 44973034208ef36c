import { systemClock } from '#server/clock.ts'
import { prepareRestored } from '#server/process/after-restore.ts'
import { type Command, unwrap } from './command.ts'

/** What follows a restore of the database. */
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
]
