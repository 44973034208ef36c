import type { StagedBatch } from '#lib/batches/batch-stage.ts'
import type { Currency } from '#lib/money/money.ts'
import type { AccountCheck } from '#lib/operators/account-check.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { AttachmentDto } from '#lib/payments/attachments.ts'
import type { PaymentTextName, PaymentTexts } from '#lib/payments/payment-fields.ts'
import type {
  ReplaceableEnd,
  TransactionSource,
  TransactionStatus,
  TransactionType,
  TransitionEvent,
} from '#lib/payments/transactions/transaction-status.ts'
import type { FreshProofRefusal } from '#lib/result.ts'

export const APPROVAL_SORTS = ['oldest', 'newest', 'expiry', 'amount'] as const

export const APPROVAL_QUEUES = ['mine', 'others', 'made', 'decided'] as const
/** Mine to decide, waiting for others, made by me and still waiting, decided. */
export type ApprovalQueue = (typeof APPROVAL_QUEUES)[number]

/** How many transactions one decision may take at once; a larger filter is decided in several goes. */
export const BULK_MAX = 500

/** Why a button is not there: the state of things, what is switched off, or no second factor where the rule asks for a fresh code. */
type ApprovalObstacle = DecisionObstacle | BatchRowObstacle | SingleObstacle | 'second_factor_missing'
/** Why somebody cannot take a transaction back. */
export type RecallObstacle = 'not_the_maker' | 'not_waiting'

/** One rule that asked for the approval. `above`: a decimal, null where every amount counts. */
type ApprovalReason = { name: string; above: string | null; currency: Currency | null; isFirstTimeOnly: boolean }

export type ApprovalDecisionRow = {
  checkerId: string
  checkerName: string
  programName: string | null
  absentName: string | null
  decision: 'validated' | 'rejected'
  note: string
  at: string
  usedCode: boolean
  /** False: the person may no longer approve here, so another approval is needed in its place. */
  counts: boolean
}

/**
 * Risk flags for the checker of a waiting payment, from `ApprovalEvidence`. The list shows each as a badge, and the panel as a
 * line of evidence.
 */
export type RiskFlag =
  /** An earlier payment to the same number and amount is FAILED, and the operator reports that it succeeded. */
  | { kind: 'contradicted'; amount: string }
  | { kind: 'near'; amount: string }
  | { kind: 'times'; times: number }
  | { kind: 'first' }
  | { kind: 'name' | 'spelling'; before: string }
  | { kind: 'operator'; before: OperatorCode }
  | { kind: 'namesake'; phoneNumbers: readonly string[] }
  | { kind: 'short' }
  /** The operator has registered the account under another name. */
  | { kind: 'holder'; holderName: string }
  /** The operator has no account with this number, or has barred it. */
  | { kind: 'not_registered' | 'barred' }
  /** It was sent again after it was rejected, recalled or expired. */
  | { kind: 'resubmitted' }

/** How a wait ended, by whom; `by` is null for the service itself, and `programName` is the program that sent the decision in. */
export type ApprovalEnd = {
  event: Extract<TransitionEvent, 'approved' | 'rejected' | 'recalled' | 'expired'>
  by: string | null
  programName: string | null
  reason: string | null
  at: string
}

/** One way in which the wait of a batch's rows ended, and how many rows that is. */
export type BatchEnd = ApprovalEnd & { count: number }

/**
 * One transaction of an approval queue as a page shows it. Amounts are exact decimals, instants ISO 8601. What the viewer may do is
 * worked out by the server and sent along; `contentHash` goes back with a decision, so that what was shown is what is decided.
 */
export type ApprovalRow = PaymentTexts & {
  transactionId: string
  externalId: string
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  currency: Currency
  amount: string
  feeSystem: string
  feeApp: string
  phoneNumber: string
  source: TransactionSource
  /** Null: the application's program made it. */
  maker: { personId: string; name: string } | null
  batchId: string | null
  createdAt: string
  expiresAt: string
  ruleName: string
  /** The rule is the built-in one for what a person or a file starts; its name is not meant for people. */
  isDefaultRule: boolean
  reasons: readonly ApprovalReason[]
  policyVersion: number
  steps: readonly number[]
  step: number
  given: number
  needed: number
  needsCode: boolean
  /** The application's program may send in decisions too. */
  apiMayDecide: boolean
  decisions: readonly ApprovalDecisionRow[]
  end: ApprovalEnd | null
  /** The most important first. Empty for what no longer waits. */
  risks: readonly RiskFlag[]
  /** The file of the maker; null without one. */
  attachment: AttachmentDto | null
  canApprove: true | ApprovalObstacle
  canReject: true | DecisionObstacle | BatchRowObstacle
  canRecall: true | RecallObstacle
  contentHash: string
}

export type CurrencyAmount = { currency: Currency; count: number; amount: string }

type QueueCounts = { mine: number; others: number; made: number }

/** Why nobody can decide on a batch now, beyond what applies to a person. */
export type BatchObstacle = DecisionObstacle | 'submitting'

/** One batch of a file as a queue shows it: one item, however many rows it has. Amounts are exact decimals. */
export type BatchItem = {
  batchId: string
  /** Null for a batch whose file is not known. */
  name: string | null
  /** A batch of a program has no person. */
  maker: { personId: string | null; name: string }
  createdAt: string
  /** Null once nothing of it waits. */
  expiresAt: string | null
  /** Rows that wait; all rows if it was decided. */
  count: number
  sums: readonly CurrencyAmount[]
  canDecide: true | BatchObstacle
  /** Who decided on it, in order, and when last; null while it waits. */
  decided: ({ by: readonly string[]; at: string } & StagedBatch) | null
}

export type ApprovalPage = {
  rows: readonly ApprovalRow[]
  /** How many fit queue and filter. */
  total: number
  sums: readonly CurrencyAmount[]
  /** The batches of this queue, which no filter leaves out. Each is one item of the counts; its rows are not among the rows. */
  batches: readonly BatchItem[]
  /** Of the unfiltered queues. */
  counts: QueueCounts
  /** Since when the oldest of "mine" waits; null when nothing does. */
  oldestAt: string | null
  /** The choices of the filters: makers with waiting items, and the rules that hold them. */
  makers: readonly { personId: string; name: string }[]
  rules: readonly string[]
  /** Who can have decided here: the choices of a filter of the decided queue. */
  checkers: readonly { personId: string; name: string }[]
}

/** The fields that are compared when something moved between what was shown and what is decided. */
export type ShownRow = Pick<
  ApprovalRow,
  | PaymentTextName
  | 'amount'
  | 'currency'
  | 'feeSystem'
  | 'feeApp'
  | 'phoneNumber'
  | 'operator'
  | 'ruleName'
  | 'steps'
  | 'decisions'
  | 'attachment'
>

/** The subject of a decision: the content that a dialog names, and the hash and fields to compare if it has changed. */
export type DecidedItem = ShownRow & Pick<ApprovalRow, 'transactionId' | 'type' | 'contentHash' | 'needsCode' | 'canApprove' | 'risks'>
/** The subject of a decision about a whole filter: exactly these items, as they were when it was requested. */
export type BulkSnapshot = { items: readonly DecidedItem[]; total: number }

/** A validation that its author can still undo, and when it takes effect. */
export type Intended = { intentionId: string; dueAt: string }

/** The result of a decision for one transaction. */
export type DecidedResult = { transactionId: string } & (
  | { kind: 'done'; status: TransactionStatus; given: number; needed: number }
  | {
      kind: 'refused'
      reason: ApprovalObstacle | 'not_found' | 'code_required' | 'content_changed' | 'intended_already' | 'unexpected'
      now: ApprovalRow | null
    }
)

/** The answer to a page: decided, refused, or to take effect at an instant unless this person undoes it, as the approval `given` of `needed`. */
export type DecisionResult = DecidedResult | ({ transactionId: string; kind: 'intended'; given: number; needed: number } & Intended)

/** Reasons why a decision was not started: nothing was decided. */
export type DecisionRefusal = FreshProofRefusal

type NearEqual = { transactionId: string; amount: string; at: string; status: TransactionStatus; isSameName: boolean }

/** A transaction that another one was sent in place of. */
type Replaced = {
  transactionId: string
  event: ReplaceableEnd
  by: string | null
  programName: string | null
  reason: string | null
  at: string
}

/** A collect that a deposit refunds: its amount, and how much its other refunds take that have not failed. */
type RefundEvidence = { collectId: string; collected: string; at: string; otherCount: number; others: string }

/** Evidence about a payment from the service's own records, for its checker. Plain arithmetic, no judgement. */
export type ApprovalEvidence = {
  /** Nothing of this type ever succeeded with this number before. */
  isFirst: boolean
  /** Earlier attempts that failed. */
  failedBefore: number
  /** Other transactions of this type with the number, within 24 hours and 1 % of the amount, that have not failed; newest first. */
  nearEqual: readonly NearEqual[]
  /** Earlier ones of this type to the number with the same amount that failed, although the operator reports something else; newest first. */
  contradicted: readonly { transactionId: string; amount: string; at: string }[]
  /** Successful ones before it: how many, since when, the amount in the middle and the largest. */
  history: {
    count: number
    isMore: boolean
    since: string
    median: string
    largest: string
    timesMedian: number
    lastAt: string
    lastAmount: string
  } | null
  /** The name that stood there last time, where it was another or written in another way. */
  nameBefore: { name: string; at: string; isOtherSpelling: boolean } | null
  operatorBefore: OperatorCode | null
  /** The operator's answer about the account within 24 hours, and how the name there compares; null where nobody asked. */
  account: (Pick<AccountCheck, 'answer' | 'holderName' | 'checkedAt'> & { isOtherName: boolean }) | null
  /** Other phone numbers for which a payment to the same name waits. */
  namesakes: readonly string[]
  /** The transaction that this one was sent in place of, and how that one ended; `by` is null for the service itself. */
  replaces: Replaced | null
  /** The collect that this deposit refunds. */
  refund: RefundEvidence | null
  /** Deposits only: the free deposit balance of the operator. */
  balance: { now: string; afterThis: string; afterAllWaiting: string; waitingCount: number } | null
}

/** One transaction that has to be approved, as one person may see and use it, with what to know before deciding. */
export type ApprovalView = {
  row: ApprovalRow
  evidence: ApprovalEvidence
  /** Who may still decide: the person who looks, and others by name. Null where it no longer waits. */
  deciders: { isMe: boolean; others: string[] } | null
}

/** Why a person may not decide on a transaction now (`server/approvals/may-decide.ts`). Each has a sentence in lib/i18n. */
export type DecisionObstacle =
  | 'not_a_checker'
  | 'is_maker'
  | 'has_password'
  | 'not_waiting'
  | 'expired'
  | 'decided_already'
  | 'deputy_may_not'

/** The transaction is a row of a batch, and people decide on the whole batch. */
type BatchRowObstacle = 'in_batch'

/** Why nobody may approve a transaction now: it could not be started now either. It can still be rejected. */
export type TermsObstacle = 'application_disabled' | 'service_disabled'
/** The same for a single transaction: the collect that it refunds was adjusted, or its operator contradicts it. Rows of batches refund nothing. */
export type SingleObstacle = TermsObstacle | 'collect_doubted'

export type ApprovalProgress = { step: number; stepCount: number; given: number; needed: number; isComplete: boolean }

/** How far the approvals are: the step that is open, and given and needed over all steps. */
export function approvalProgress(steps: readonly number[], validated: number): ApprovalProgress {
  const needed = steps.reduce((sum, count) => sum + count, 0)
  const isInFirst = validated < (steps[0] ?? 0)
  return {
    step: isInFirst ? 1 : steps.length,
    stepCount: steps.length,
    given: Math.min(validated, needed),
    needed,
    isComplete: validated >= needed,
  }
}
