import { TRANSITIONS, type TransactionStatus, type TransitionEvent } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Actor } from './actor.ts'
import { callApplyTransitions, type TransitionRow } from './transaction-store.ts'

export type TransitionItem = {
  applicationId: string
  transactionId: string
  event: TransitionEvent
  /** The message of the final transaction: the operator's sentence, or the reason of a rejection. */
  message?: string
  /** A person's note, or the operator's own code; stored in the event. */
  reason?: string
  operatorToken?: string
  /** The operator's own name of the transaction, which its statements use. */
  operatorReference?: string
  actor: Actor
  /** The person who decided; the guarded update refuses the maker. */
  checkerId?: string
  /** The answer to the query that found this result; stored as an attempt in the same statement, even if nothing moves. */
  answer?: QueryAnswer
}

/** An operator's answer to a query. `number` is that of the attempt. */
type QueryAnswer = { number: number; outcome: 'succeeded' | 'failed'; httpStatus: number | null; text: string; durationMs: number }

/** Undefined if this application has no such transaction. Not moved if it was not in the state in which the edge starts. */
export type TransitionOutcome = { isMoved: boolean; status: TransactionStatus; version: number } | undefined

/**
 * Moves transactions along one edge each; the only function that changes a status. One statement contains the guarded update, event,
 * ledger posting, balances, roll-ups, counters, operator work and webhook outbox. It locks the counters of the applications
 * concerned, so a caller with a database transaction of its own must not hold locks that others take after those. A transaction may
 * occur only once in a call.
 */
export async function transition(queryable: Queryable, items: TransitionItem[]): Promise<TransitionOutcome[]> {
  const applicationIds = [...new Set(items.map((item) => item.applicationId))].sort()
  const rows = await callApplyTransitions(
    queryable,
    applicationIds,
    items.map((item, index) => toTransitionRow(item, index, applicationIds)),
  )
  const outcomes = new Array<TransitionOutcome>(items.length).fill(undefined)
  for (const row of rows) outcomes[row.item_index] = { isMoved: row.is_moved, status: row.status, version: row.version }
  return outcomes
}

function toTransitionRow(item: TransitionItem, index: number, applicationIds: string[]): TransitionRow {
  const edge = TRANSITIONS[item.event]
  return {
    item_index: index,
    application_id: item.applicationId,
    application_index: applicationIds.indexOf(item.applicationId) + 1,
    transaction_id: item.transactionId,
    from_status: edge.from,
    to_status: edge.to,
    event: item.event,
    message: item.message ?? null,
    reason: item.reason ?? null,
    operator_token: item.operatorToken ?? null,
    operator_reference: item.operatorReference ?? null,
    actor_kind: item.actor.kind,
    actor_id: item.actor.id,
    checker_id: item.checkerId ?? null,
    answer_number: item.answer?.number ?? null,
    answer_outcome: item.answer?.outcome ?? null,
    answer_http_status: item.answer?.httpStatus ?? null,
    answer_text: item.answer?.text ?? null,
    answer_duration_ms: item.answer ? Math.round(item.answer.durationMs) : null,
  }
}
