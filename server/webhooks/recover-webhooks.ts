import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { err, ok, type Result } from '#lib/result.ts'
import type { RecoveryDto } from '#lib/webhooks/webhook-portal.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import {
  countRecovered,
  countWaitingResends,
  endRecovery,
  insertRecovery,
  lockRecovery,
  type RecoveryScope,
  resendNext,
  selectOpenRecoveries,
  selectRecoveries,
} from './resend-store.ts'

/** Resends of one application that may wait at once: a receiver has four slots, so live deliveries always have some. */
const WAITING_MAX = 2
const PAUSE_MS = 200
/** One run of the scheduled task; the next one starts a minute after this one started. */
const RUN_MS = 55_000
const LISTED_MAX = 5

type Deps = { pool: Pool; wakeWebhooks: () => void }
type RecoveryCommand = { applicationId: string; since: Date; includesDelivered: boolean; now: Date; actor: PersonCommandActor }

/** How many webhooks that ended since an instant would be sent again: those that were given up, or also those that were delivered. */
export function countRecovery(
  queryable: Queryable,
  { applicationId, since, includesDelivered, now }: Omit<RecoveryCommand, 'actor'>,
): Promise<number> {
  return since < now ? countRecovered(queryable, applicationId, { since, until: now, includesDelivered }) : Promise.resolve(0)
}

type RecoverFailure = 'not_permitted' | 'nothing_to_recover' | 'recovery_running' | { code: 'count_changed'; counted: number }

/**
 * Sends all webhooks again that ended since an instant: a few at a time, so that live deliveries are not delayed, in the order in which they
 * ended. Once this returns, it is recorded, and a crash at any time continues it. `counted` is the number that the person agreed to; if there
 * are more now, nothing is sent. One recovery per application at a time.
 */
export async function recoverWebhooks(
  deps: Deps,
  command: RecoveryCommand & { counted: number },
): Promise<Result<{ recoveryId: string }, RecoverFailure>> {
  const { applicationId, since, includesDelivered, now, actor } = command
  if (!mayAct(actor, applicationId, 'webhook:recover')) return err('not_permitted')
  const scope: RecoveryScope = { since, until: now, includesDelivered }
  const counted = await countRecovery(deps.pool, command)
  if (counted === 0) return err('nothing_to_recover')
  if (counted > command.counted) return err({ code: 'count_changed', counted })
  const recoveryId = randomUUID()
  const stored = await runCommand<{ recoveryId: string }, RecoverFailure>(deps.pool, command, 'webhook:recover', async (trx) => {
    if (!(await insertRecovery(trx, { ...scope, applicationId, recoveryId, requestedBy: actor.id, counted })))
      return err('recovery_running')
    const details = { since: since.toISOString(), until: now.toISOString(), includesDelivered, counted }
    return done({ action: 'webhook.recovery_requested', subject: recoveryId, details }, { recoveryId })
  })
  if (stored.ok) await advance(deps, applicationId, recoveryId)
  return stored
}

/** Ends a recovery before it is through. Webhooks already requested are still sent. */
export async function stopRecovery(
  pool: Pool,
  command: { applicationId: string; recoveryId: string; actor: PersonCommandActor },
): Promise<Result<void, 'not_permitted' | 'not_found'>> {
  const { applicationId, recoveryId, actor } = command
  return runCommand(pool, command, 'webhook:recover', async (trx) => {
    if (!(await endRecovery(trx, applicationId, recoveryId, actor.id))) return err('not_found')
    return done({ action: 'webhook.recovery_stopped', subject: recoveryId })
  })
}

/** Continues all recoveries until they have ended, a minute is over or `isEnding`. A scheduled task; any number of processes may run it. */
export async function continueRecoveries(deps: Deps, isEnding: () => boolean, runMs = RUN_MS): Promise<void> {
  const endsAtMs = performance.now() + runMs
  while (!isEnding() && performance.now() < endsAtMs) {
    const open = await selectOpenRecoveries(deps.pool)
    if (open.length === 0) return
    for (const { applicationId, recoveryId } of open) await advance(deps, applicationId, recoveryId)
    await delay(PAUSE_MS)
  }
}

/** Requests the next resends, as many as may wait. The cursor moves in the same transaction, so that none is left out or sent twice. */
async function advance({ pool, wakeWebhooks }: Deps, applicationId: string, recoveryId: string): Promise<void> {
  const taken = await withTransaction<number, never>(pool, async (trx) => {
    const recovery = await lockRecovery(trx, applicationId, recoveryId)
    const free = recovery ? WAITING_MAX - (await countWaitingResends(trx, applicationId, WAITING_MAX)) : 0
    if (!recovery || free === 0) return ok(0)
    const resent = await resendNext(trx, recovery, free)
    if (resent < free) await endRecovery(trx, applicationId, recoveryId, null)
    return ok(resent)
  })
  if (taken.ok && taken.value > 0) wakeWebhooks()
}

/** The newest recoveries of an application, for its page. */
export async function listRecoveries(queryable: Queryable, applicationId: string): Promise<RecoveryDto[]> {
  const rows = await selectRecoveries(queryable, applicationId, LISTED_MAX)
  return rows.map(({ since, until, requestedAt, endedAt, requestedBy, ...row }) => ({
    ...row,
    since: since.toISOString(),
    until: until.toISOString(),
    requestedBy: requestedBy ?? '',
    requestedAt: requestedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }))
}
