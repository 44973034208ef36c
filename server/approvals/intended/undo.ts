import type { ApprovalRow } from '#lib/approvals/approvals.ts'
import type { IntendedDecision, UndoObstacle } from '#lib/approvals/intended.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { err, type Result } from '#lib/result.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { noteChange } from '../approval-store.ts'
import { type ApprovalViewer, findApprovals } from '../queue/queue.ts'
import { actOf } from './intend.ts'
import { deleteEnded, selectIntentions, undoWaiting, updateTold } from './intention-store.ts'

/**
 * Takes back what this person validated and no worker has begun to carry out: its items are as before. `already_sent` if one has, `not_found`
 * if this person intended no such thing. To undo twice is to undo once.
 */
export function undoIntended(
  pool: Pool,
  { applicationId, personId, intentionId }: { applicationId: string; personId: string; intentionId: string },
): Promise<Result<true, UndoObstacle | 'not_found'>> {
  const by = { applicationId, actor: { kind: 'person' as const, id: personId } }
  return runRecorded<true, UndoObstacle | 'not_found'>(pool, by, async (trx) => {
    const undone = await undoWaiting(trx, { applicationId, personId, intentionId })
    if (undone === undefined) return err('not_found')
    if (undone === 'already_sent') return err('already_sent')
    if (undone === 'undone') return done(null, true)
    await lockCounters(trx, applicationId)
    await noteChange(trx, applicationId)
    const { batchId, transactionIds } = undone
    const about = batchId === null ? { transactionIds } : { batchId }
    const count = transactionIds?.length ?? 1
    return done({ action: 'approvals.undone', ...actOf(about, intentionId), details: { count } }, true)
  })
}

/** The person has read why what they validated was refused. Returns whether this person intended it and it has ended. */
export function dismissRefusal(pool: Pool, intention: { applicationId: string; personId: string; intentionId: string }): Promise<boolean> {
  return updateTold(pool, intention)
}

/** Removes intended decisions that ended more than a week ago. */
export function forgetIntended(pool: Pool): Promise<void> {
  return deleteEnded(pool)
}

/** Returns a person's own validations for their pages: those that can be undone, those that just took effect, and what was refused. */
export async function listIntended(queryable: Queryable, viewer: ApprovalViewer): Promise<IntendedDecision[]> {
  const rows = await selectIntentions(queryable, { applicationId: viewer.applicationId, personId: viewer.id })
  const refusedIds = rows.flatMap((row) => row.result?.refused.map((one) => one.transactionId) ?? [])
  const now = new Map((await findApprovals(queryable, viewer, refusedIds)).map((row) => [row.transactionId, row]))
  return rows.map(({ intentionId, state, dueInMs, batchId, batchName, result, stillWaiting, items }) => ({
    intentionId,
    state,
    dueInMs,
    transactionIds: items.map((item) => item.transactionId),
    batch: batchId === null ? null : { batchId, name: batchName ?? '' },
    sums: CURRENCIES.flatMap((currency) => {
      const own = items.filter((item) => item.currency === currency)
      const amount = formatMinor(own.reduce((sum, item) => sum + BigInt(item.amountMinor), 0n))
      return own.length === 0 ? [] : [{ currency, count: own.length, amount }]
    }),
    customerName: items.length === 1 ? (items[0]?.customerName ?? null) : null,
    refusal: result?.refusal ?? null,
    stillWaiting,
    refused: (result?.refused ?? []).flatMap(({ transactionId, reason }) => toRefusedItem(now.get(transactionId), reason)),
  }))
}

function toRefusedItem(row: ApprovalRow | undefined, reason: IntendedDecision['refused'][number]['reason']): IntendedDecision['refused'] {
  if (!row) return []
  const { transactionId, customerName, amount, currency, end } = row
  return [{ transactionId, customerName, amount, currency, reason, end }]
}
