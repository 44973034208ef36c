import { err, type Result } from '#lib/result.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { askAfterRestore } from '#server/operators/work/ask-after-restore.ts'
import { countServiceSessions } from '#server/operators/work/restored-work-store.ts'
import { holdAfterRestore } from '#server/webhooks/restored/hold-after-restore.ts'

/** The work that waits after a restore. */
type Restored = { unsent: number; open: number; heldWebhooks: number }

/**
 * Prepares a database that was restored to an earlier point, before any process of the service starts on it: operators are asked before
 * anything is sent, and no webhook is sent that a partner may have. Refused while a process is connected. Can be repeated.
 */
export function prepareRestored(pool: Pool, now: Date): Promise<Result<Restored, 'service_is_running'>> {
  return runRecorded(pool, { applicationId: SERVICE_WIDE, actor: SYSTEM_ACTOR }, async (trx) => {
    if ((await countServiceSessions(trx)) > 0) return err('service_is_running')
    const work = await askAfterRestore(trx, now)
    const restored = { ...work, heldWebhooks: await holdAfterRestore(trx) }
    return done({ action: 'installation.restored', subject: now.toISOString(), details: restored }, restored)
  })
}
