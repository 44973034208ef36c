import type { ADJUSTMENT_CHANGES } from '#lib/approvals/proposed-change.ts'
import { DAY_MS } from '#lib/time/time.ts'

/** Classes of exceptions, gravest first. `contradicted`: only the operator's answers say it yet, no statement. The texts are `close.class.<class>`. */
export const EXCEPTION_CLASSES = [
  'success_failed_there',
  'paid_failed_here',
  'contradicted',
  'second_payment',
  'unknown_payment',
  'success_absent_there',
  'amount_differs',
  'fee_differs',
] as const
/** `unconfirmed`: of a payment whose outcome is unknown. It is worked on at the desk of unconfirmed money, and in no other list. */
export type ExceptionClass = (typeof EXCEPTION_CLASSES)[number] | 'unconfirmed'

/** Of these a customer has lost money, or has been paid for nothing: they are due after one day. */
const URGENT: ReadonlySet<ExceptionClass> = new Set(['success_failed_there', 'paid_failed_here', 'contradicted'])
const [URGENT_DAYS, OTHER_DAYS] = [1, 3]

/** The adjustments that may be proposed for several exceptions together. */
export const EXCEPTION_ADJUSTMENTS = [
  'adjustment.late',
  'adjustment.reverse',
] as const satisfies readonly (typeof ADJUSTMENT_CHANGES)[number][]
export type ExceptionAdjustment = (typeof EXCEPTION_ADJUSTMENTS)[number]

/** When an exception should be closed. */
export function dueAt(exceptionClass: ExceptionClass, openedAt: Date): Date {
  return new Date(openedAt.getTime() + (URGENT.has(exceptionClass) ? URGENT_DAYS : OTHER_DAYS) * DAY_MS)
}

/** `open`: nobody has taken it. The texts are `exceptions.state.<state>`. */
export type ExceptionState = 'open' | 'owned' | 'closed'

/** Why an exception is closed. Only `explained` and `adjusted` can be said by a person, and `adjusted` only after a confirmed adjustment. */
export type ExceptionOutcome = 'matched' | 'agreed' | 'adjusted' | 'explained' | 'answered'

/** Ages that the list can be narrowed to, in days. */
export const EXCEPTION_AGES = [1, 3, 7, 30] as const

/** A note that is stored with an event, in characters. */
export const EXCEPTION_NOTE_MAX = 500
/** An exception by its id, or the one about a transaction of the application whose outcome is unknown, which opens with the first act. */
export type ExceptionRef = { exceptionId: string } | { transactionId: string }

/** An exception as the list shows it. `amount`: a decimal; `day`: null while no statement has a line about it. */
export type ExceptionDto = {
  exceptionId: string
  class: ExceptionClass
  state: ExceptionState
  outcome: ExceptionOutcome | null
  wallet: string
  day: string | null
  amount: string
  currency: string
  openedAt: string
  dueAt: string
  isOverdue: boolean
  closedAt: string | null
  owner: { personId: string; name: string } | null
  /** Its subject, in the operator's words or ours. */
  reference: string | null
  phone: string | null
  /** The application whose transaction it is; null for a line without one. */
  application: string | null
}

export type ExceptionPage = { rows: readonly ExceptionDto[]; total: number }

export type ExceptionEventDto = {
  event: 'opened' | 'class_changed' | 'taken' | 'handed_over' | 'noted' | 'closed' | 'reopened'
  class: ExceptionClass
  /** To whom it was handed over. */
  owner: string | null
  outcome: ExceptionOutcome | null
  /** Null: the service. */
  person: string | null
  note: string
  at: string
}

/** An operator's answer about a transaction that has ended here. The texts are `exceptions.said.<answer>`. */
export type OperatorAnswer = 'succeeded' | 'failed' | 'pending' | 'not_found' | 'unknown'

/** The line of the statement that an exception is about. */
export type ExceptionLineDto = {
  lineId: string
  at: string
  amount: string
  fee: string
  phone: string | null
  operatorId: string | null
  type: string
  status: string
  file: { fileId: string; name: string }
}

/** The transaction that an exception is about; `ledger` is its application. */
export type ExceptionTransactionDto = {
  transactionId: string
  ledger: string
  application: string
  slug: string
  operator: string
  type: string
  status: string
  at: string
  isFinal: boolean
  amount: string
  phone: string
  reference: string | null
}

/**
 * A transaction without a line, or a line without a transaction, that an exception could be matched with. `differs`: which of its figures are others
 * than those of the exception; one that either side lacks is not compared.
 */
export type MatchCandidateDto = {
  lineId: string
  transactionId: string
  /** Whose transaction it is; null for a line. */
  application: string | null
  at: string
  amount: string
  phone: string | null
  reference: string | null
  /** In our words for a transaction, in the operator's for a line. */
  status: string
  differs: { amount: boolean; phone: boolean; reference: boolean }
}

/** One exception in full, with its evidence. */
export type ExceptionDetailDto = ExceptionDto & {
  line: ExceptionLineDto | null
  transaction: ExceptionTransactionDto | null
  /** The operator's last answer about the transaction that contradicts its result or was asked for because of that. */
  answer: { said: OperatorAnswer; at: string } | null
  /** The confirmed adjustment that it was closed with, or can be. */
  adjustment: { changeId: string; kind: (typeof ADJUSTMENT_CHANGES)[number] } | null
  events: readonly ExceptionEventDto[]
  /** The likeliest first. Only while it is open, and its line or its transaction lacks the other side. */
  candidates: readonly MatchCandidateDto[]
  /** Its line and a transaction were matched since it was examined: it is examined again within a minute. */
  isMatched: boolean
}
