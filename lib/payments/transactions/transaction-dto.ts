import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { RefundFeesFrom } from '#lib/money/fees.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { ReversalDto } from '#lib/operators/reversals.ts'
import type { ApiCallDto } from '#lib/partner/partner-requests.ts'
import type { RefundObstacle } from '#lib/payments/refunds.ts'
import type { ExceptionEventDto } from '#lib/reconciliation/exceptions.ts'
import type { AttachmentDto } from '../attachments.ts'
import type { PaymentTexts } from '../payment-fields.ts'
import type { EventName, TransactionSource, TransactionStatus, TransactionType } from './transaction-status.ts'

/** An actor: its name if it has one (a person, an API user), else its kind. */
export type ActorDto = { kind: 'api' | 'person' | 'operator' | 'system'; name: string | null }

export type EventDto = {
  version: number
  at: string
  event: EventName
  from: TransactionStatus | null
  to: TransactionStatus
  actor: ActorDto
  reason: string | null
}

/** The outcome of a call to or from an operator. */
export type OperatorOutcome =
  | 'accepted'
  | 'succeeded'
  | 'failed'
  | 'pending'
  | 'unknown'
  | 'not_found'
  | 'not_sent'
  | 'wrong_code'
  | 'interrupted'

export type OperatorAttemptDto = {
  number: number
  kind: 'submit' | 'query' | 'callback'
  startedAt: string
  durationMs: number | null
  /** Null until the answer arrives. */
  outcome: OperatorOutcome | null
  httpStatus: number | null
  answer: string | null
}

/** How one attempt to deliver a webhook ended (server/webhooks/DECISIONS.md, Outcomes). */
export type WebhookOutcome =
  | 'delivered'
  | 'bad_status'
  | 'redirect'
  | 'timeout_dns'
  | 'timeout_connect'
  | 'timeout_tls'
  | 'timeout_headers'
  | 'timeout_body'
  | 'dns_error'
  | 'refused_target'
  | 'invalid_url'
  | 'connection_refused'
  | 'connection_error'
  | 'tls_error'
  | 'protocol_error'
  | 'interrupted'

export type WebhookAttemptDto = {
  /** Counts in the order in which the attempts began. */
  number: number
  /** `automatic`: an attempt of the schedule. `person`: a resend, which `requestedBy` requested. */
  origin: 'automatic' | 'person'
  requestedBy: string | null
  startedAt: string
  durationMs: number
  outcome: WebhookOutcome
  httpStatus: number | null
  detail: string | null
  /** The time from due to begin; null if not recorded. */
  waitedMs: number | null
}

export type WebhookDto = {
  state: 'due' | 'delivered' | 'exhausted'
  nextAt: string | null
  finishedAt: string | null
  /** The next attempt is overdue: its receiver lets others time out, and those before it in the queue go first. */
  isLate: boolean
  attempts: WebhookAttemptDto[]
  /** A resend that a person requested and that has no outcome yet. */
  waitingResend: { requestedBy: string | null; requestedAt: string } | null
  /** Why a resend would be refused now; `retryAfterMs` is the time until the limit allows the next one. */
  resendObstacle: { code: 'attempt_in_progress' | 'resend_waiting' | 'throttled'; retryAfterMs: number | null } | null
}

const LEDGER_ACCOUNTS = ['collect', 'deposit', 'held', 'fees', 'clearing', 'revenue'] as const
type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number]

/** One line of a posting: what it did to one account. */
export type LedgerEntryDto = {
  kind: 'hold' | 'release' | 'settle' | 'fund' | 'correct' | AdjustmentKind
  account: LedgerAccount
  amount: string
  at: string
}

export type DecisionDto = {
  checkerName: string
  programName: string | null
  absentName: string | null
  decision: 'validated' | 'rejected'
  step: number
  note: string
  usedCode: boolean
  through: 'api' | 'back_office'
  /** False: the person may no longer approve here, so another approval is needed. */
  counts: boolean
  at: string
}

export type ApprovalDto = {
  /** Null: the default rule, which has a name in each language. */
  ruleName: string | null
  policyVersion: number
  /** How many checkers each step requires. */
  steps: number[]
  needed: number
  done: number
  needsCode: boolean
  expiresAt: string
}

/** The pending work at the operator; null once there is a result. */
export type OperatorWorkDto = {
  state: 'queued' | 'paused' | 'unfunded' | 'awaiting_code' | 'submitting' | 'submitted' | 'unconfirmed'
  nextAt: string
  unconfirmedSince: string | null
  queries: number
  lastAnswer: string | null
  /** The operator accepted it and now reports it as unknown: it is not sent again without a person's decision. */
  isDenied: boolean
  /** It waits because our account at the operator does not cover the deposits that are due. */
  waitsForFloat: boolean
  /** How much the account lacks; null where only the operator knows, and for members of an application that does not run the installation. */
  missing: string | null
}

/**
 * An operator's report that contradicts a final result, and its answer to the enquiry that followed: `confirmed` the stored result,
 * `repeated` the contradiction, or neither.
 */
export type ContradictionDto = {
  at: string
  said: OperatorOutcome
  /** It came in a callback without a signature, which anybody can send. */
  isHint: boolean
  state: 'asking' | 'confirmed' | 'repeated' | 'unclear'
}

/** Who works on a payment whose outcome is unknown, and everything that people did about it, in order. */
export type ClarificationDto = { owner: string | null; events: readonly ExceptionEventDto[] }

/** One transaction in full. Amounts are exact decimals, instants ISO 8601. */
export type TransactionDetailDto = PaymentTexts & {
  transactionId: string
  externalId: string
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  currency: Currency
  amount: string
  feesSystem: string
  feesApp: string
  /** The credit to the collect balance, or the debit of the deposit balance. */
  net: string
  held: string
  phoneNumber: string
  /** Null: a person started it, so no program waits for a webhook. */
  webhookUrl: string | null
  payToken: string
  /** The address of the customer's page, while it exists; null for a deposit. */
  customerPage: string | null
  /** The operator's own name of the transaction; null until it is final, and where the operator has none. */
  operatorReference: string | null
  /** The second one of an operator that has two. */
  operatorReferenceOther: string | null
  message: string | null
  source: TransactionSource
  batchId: string | null
  /** The file that its maker attached; null without one. */
  attachment: AttachmentDto | null
  createdAt: string
  finalAt: string | null
  maker: ActorDto
  /** The person who started it; null for a partner's program. */
  makerId: string | null
  events: EventDto[]
  attempts: OperatorAttemptDto[]
  /** In a sandbox, the calls of the partner's program about it, the oldest first. */
  apiCalls: ApiCallDto[]
  /** Calls and webhooks from before these instants are removed; null if the transaction is not that old. */
  removedBefore: { calls: string | null; webhook: string | null }
  work: OperatorWorkDto | null
  contradiction: ContradictionDto | null
  /** The acts of people of the application about its unknown outcome; null if nobody has worked on it. */
  clarification: ClarificationDto | null
  /** The newest reversal at the operator; null if nobody has asked for one. */
  reversal: ReversalDto | null
  /** When it was found that another transaction, of any application, has the same operator reference; null if none has. */
  sharedReferenceAt: string | null
  webhook: WebhookDto | null
  entries: LedgerEntryDto[]
  approval: ApprovalDto | null
  decisions: DecisionDto[]
  /** The transaction that this one was sent in place of. */
  replaces: { transactionId: string } | null
  /** The transaction that was sent in its place. */
  replacedBy: { transactionId: string } | null
  /** A maker may edit it and send it again: a person started it, it ended without going to an operator, and nothing replaced it. */
  isReplaceable: boolean
  /** The collect that this deposit refunds; null for all others. */
  refundOf: { transactionId: string; amount: string; isDoubted: boolean } | null
  /** The refunds of a collect that succeeded; null for all others. */
  refunds: RefundsDto | null
}

/** The refunds of a collect, the oldest first. `amount` counts against the collect unless the refund fails. Amounts are exact decimals. */
export type RefundsDto = {
  made: { transactionId: string; amount: string; status: TransactionStatus; createdAt: string }[]
  refunded: string
  remaining: string
  /** Why it cannot be refunded, although something is left; null if it can. */
  obstacle: RefundObstacle | null
  /** Who pays the fees of the next refund. */
  feesFrom: RefundFeesFrom
}
