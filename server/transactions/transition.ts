import { TRANSITIONS, type TransactionStatus, type TransitionEvent } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Actor } from './actor.ts'
import { callTransitionBatch } from './transaction-store.ts'

export type TransitionItem = {
  applicationId: string
  transactionId: string
  event: TransitionEvent
  /** What the transaction says of its end: the operator's words, or the reason of a rejection. */
  message?: string
  /** Kept in the event; a person's note. */
  reason?: string
  operatorToken?: string
  actor: Actor
  /** The person who decided; the guarded update refuses the maker. */
  checkerId?: string
  /** When it moves, which only a sandbox that writes its history can give (service_time); otherwise the database's clock decides. */
  at?: Date
}

/** Undefined: this application has no such transaction. Not moved: it was not in the state that the edge starts from. */
export type TransitionOutcome = { isMoved: boolean; status: TransactionStatus; version: number } | undefined

/**
 * The only function that changes a status. In one statement: guarded update, event, ledger posting, balances,
 * roll-ups, counters, operator work and webhook outbox. Locks the counters of the applications concerned, so a caller
 * with a transaction of its own must not hold locks that others take after those. No transaction twice in one call.
 */
export async function transition(queryable: Queryable, items: TransitionItem[]): Promise<TransitionOutcome[]> {
  const applicationIds = [...new Set(items.map((item) => item.applicationId))].sort()
  const rows = await callTransitionBatch(
    queryable,
    applicationIds,
    JSON.stringify(items.map((item, place) => asMove(item, place, applicationIds))),
  )
  const outcomes = new Array<TransitionOutcome>(items.length).fill(undefined)
  for (const row of rows) outcomes[row.place] = { isMoved: row.is_moved, status: row.status, version: row.version }
  return outcomes
}

function asMove(item: TransitionItem, place: number, applicationIds: string[]): Record<string, unknown> {
  const edge = TRANSITIONS[item.event]
  return {
    place,
    app: item.applicationId,
    nth_app: applicationIds.indexOf(item.applicationId) + 1,
    id: item.transactionId,
    from_status: edge.from,
    to_status: edge.to,
    event: item.event,
    message: item.message,
    reason: item.reason,
    operator_token: item.operatorToken,
    actor_kind: item.actor.kind,
    actor: item.actor.id,
    checker: item.checkerId,
    at: item.at,
  }
}
