import { ok } from '#lib/result.ts'
import { appendAuditEntries } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { deleteMonths, endLostSendings, insertDueMonths } from './monthly-totals-store.ts'

const KEPT_MS = 100 * 86_400_000

/**
 * Ends the monthly sending of totals whose owner lost the right to read them, then writes the months that are due; a trigger writes their notices. Several
 * processes may run it at once. A sending that was ended does not begin again with the right: its owner switches it on again.
 */
export async function prepareMonthlyTotals(pool: Pool, now: Date): Promise<void> {
  await withTransaction(pool, async (trx) => {
    const ended = await endLostSendings(trx)
    const entries = ended.map(({ applicationId, viewId, name, list }) => ({
      applicationId,
      actor: SYSTEM_ACTOR,
      action: 'view.sending_ended' as const,
      subject: viewId,
      details: { list, name },
    }))
    if (entries.length > 0) await appendAuditEntries(trx, entries)
    return ok(undefined)
  })
  await insertDueMonths(pool, now)
}

/** Removes the months that were sent more than 100 days ago. */
export async function forgetMonthlyTotals(pool: Pool, now: Date): Promise<void> {
  await deleteMonths(pool, new Date(now.getTime() - KEPT_MS))
}
