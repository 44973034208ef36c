import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus, TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import type { FreshProofRefusal } from '#lib/result.ts'
import type {
  ApprovalDecisionRow,
  ApprovalRow,
  BatchEnd,
  BatchItem,
  BatchObstacle,
  Intended,
  RecallObstacle,
  TermsObstacle,
} from './approvals.ts'

/** The filters of a batch's rows for its checkers. */
export const BATCH_ROW_FILTERS = ['all', 'flagged', 'first', 'large', 'duplicate'] as const
export type BatchRowFilter = (typeof BATCH_ROW_FILTERS)[number]

/** Rows on one page of a batch. */
export const BATCH_ROWS_PAGE_SIZE = 50

/** The cost of the rows waiting at one operator, and the balance after them. Null balance: collects take nothing from it. */
export type BatchOperator = {
  operator: OperatorCode
  currency: Currency
  count: number
  amount: string
  fees: string
  balance: { now: string; after: string } | null
}

/** A whole batch as one person may see and use it. `hash` goes back with a decision, so that what was shown is what is decided. */
export type BatchApproval = Omit<BatchItem, 'expiresAt' | 'decided'> & {
  expiresAt: string
  /** All rows, also those that no longer wait. */
  rowCount: number
  statuses: readonly { status: TransactionStatus; count: number }[]
  operators: readonly BatchOperator[]
  flags: Record<Exclude<BatchRowFilter, 'all'>, number>
  ruleNames: readonly string[]
  /** Only the built-in rule applies, whose name is not meant for people. */
  isDefaultRule: boolean
  steps: readonly number[]
  given: number
  needed: number
  needsCode: boolean
  decisions: readonly (ApprovalDecisionRow & { count: number })[]
  /** How the wait of its rows ended, by event, person and reason, most rows first. Empty while a row waits. */
  ends: readonly BatchEnd[]
  /** Who may still decide, by name, without the person who looks. */
  deciders: readonly string[]
  canApprove: true | BatchObstacle | TermsObstacle | 'second_factor_missing'
  canReject: true | BatchObstacle
  canRecall: true | RecallObstacle
  /** When it is sent, if it is approved by then; null: as soon as it is approved. */
  releaseAt: string | null
  hash: string
  /** When it was read, by the database's clock: a refused decision says what has changed since. */
  shownAt: string
}

export type BatchRowsPage = { rows: readonly ApprovalRow[]; total: number }

/** A row that left the batch's waiting rows after it was shown. */
type BatchChange = {
  transactionId: string
  customerName: string
  event: TransitionEvent
  by: string | null
  programName: string | null
  at: string
}

/** Changes since a batch was shown: rows that no longer wait (the first of `movedCount`), and new decisions. */
export type BatchDifference = {
  moved: readonly BatchChange[]
  movedCount: number
  decisions: readonly {
    checkerName: string
    programName: string | null
    absentName: string | null
    decision: 'validated' | 'rejected'
    at: string
    counts: boolean
  }[]
}

/** The result of a decision about a batch. */
export type BatchDecidedResult =
  | { kind: 'done'; approved: number; rejected: number; waiting: number; given: number; needed: number }
  | { kind: 'changed'; difference: BatchDifference }

/** The answer to a page: also that it takes effect at an instant, unless this person undoes it. */
export type BatchDecisionResult = BatchDecidedResult | ({ kind: 'intended' } & Intended)

/** Why a decision about a batch was refused as a whole. */
export type BatchDecisionRefusal = BatchObstacle | TermsObstacle | FreshProofRefusal | 'nothing_left' | 'intended_already'
