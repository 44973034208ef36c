import type { ApprovalEnd, CurrencyAmount, DecidedResult, DecisionRefusal } from './approvals.ts'
import type { BatchDecisionRefusal } from './batch-approval.ts'

/** The longest pause between a person's Validate and its effect, in seconds. */
export const UNDO_SECONDS_MAX = 60

/** Why a whole intended decision was refused when it was due, besides what every decision may meet. */
export type IntentionRefusal = 'too_late' | 'session_ended' | 'changed' | 'unexpected' | DecisionRefusal | BatchDecisionRefusal

/** Why a transaction of an intended list was refused when it was due. */
export type RefusedReason = Extract<DecidedResult, { kind: 'refused' }>['reason']

/** A transaction of an intended list that was refused when it was due; `end`: how its wait had ended, if it had. */
export type RefusedItem = {
  transactionId: string
  customerName: string
  amount: string
  currency: CurrencyAmount['currency']
  reason: RefusedReason
  end: ApprovalEnd | null
}

/** A validation of a moment ago, as the pages of this person show it. */
export type IntendedDecision = {
  intentionId: string
  state: 'waiting' | 'undone' | 'carried_out' | 'refused'
  /** In how many milliseconds it takes effect, when this was read; less than 0 if it is late. */
  dueInMs: number
  /** Of a list; empty for a batch. */
  transactionIds: readonly string[]
  batch: { batchId: string; name: string } | null
  /** Of a list, per currency; empty for a batch. */
  sums: readonly CurrencyAmount[]
  /** Of a list of one. */
  customerName: string | null
  /** Why all of it was refused; null if it was not. */
  refusal: IntentionRefusal | null
  /** How many of its payments wait for another approval afterwards: no money moves for them. */
  stillWaiting: number
  refused: readonly RefusedItem[]
}

/** Why somebody cannot undo: it takes effect at this moment, or has. */
export type UndoObstacle = 'already_sent'
