import type { ApprovalRow, CurrencyAmount } from '#lib/approvals/approvals.ts'
import type { Currency } from '#lib/money/money.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { FailureCase } from '#lib/payments/failure-case.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { DayRange, UtcDay } from '#lib/time/time.ts'
import type { PeriodStep } from './chart.ts'

/*
 * Data of the pages about money, as the server renders it first and its data addresses answer. Amounts are exact decimals as formatMinor
 * writes them, instants ISO 8601, days those of the application's business time zone (`zone`, an IANA name).
 */

type DirectionSum = { count: number; amount: string }

/**
 * Money of one currency by direction; never added together. `net` is collects less deposits, before fees. `fees`: null while they are being
 * summed, which is for seconds or minutes after a first start over a history.
 */
export type MoneyFigures = { collects: DirectionSum; deposits: DirectionSum; net: string; fees: { system: string; app: string } | null }

/** `before`: the same in the period that this one is compared with; null where there is none. */
export type CurrencyMoney = { currency: Currency; now: MoneyFigures; before: MoneyFigures | null }

/** One group of bars of a chart by day, month or year: exact amounts by direction, and how many transactions. */
export type PeriodTotal = { period: string; collects: string; deposits: string; collectCount: number; depositCount: number }
export type CurrencyChart = { currency: Currency; periods: PeriodTotal[] }

/** `share` is succeeded of finished, 0 to 1; null where nothing finished. */
export type OperatorTotal = {
  operator: OperatorCode
  currency: Currency
  count: number
  collects: string
  deposits: string
  share: number | null
  /** Of what succeeded; null for other statuses, and while they are being summed. */
  fees: { system: string; app: string } | null
}

/** The day on which a transaction counts: that of its creation, or of its success. */
export const TOTAL_BASES = ['created', 'completed'] as const
export type TotalBasis = (typeof TOTAL_BASES)[number]

export type TotalsDto = {
  /** `completed`: only what succeeded. */
  basis: TotalBasis
  zone: string
  /** Both included; null: open. */
  from: UtcDay | null
  to: UtcDay | null
  /** The days that are compared with these; null where there are none. */
  before: DayRange | null
  /** A currency for which there is nothing in either period is left out. */
  money: CurrencyMoney[]
  step: PeriodStep
  charts: CurrencyChart[]
  operators: OperatorTotal[]
  /** The partner API's answer to the same question, all operators added up; null where the API has no such question. */
  apiTotal: string | null
  /** Whether the UTC days of the API and these days are the same instants. */
  isApiOfSameDays: boolean
}

export const AGE_BUCKETS = ['fresh', 'tenMinutes', 'hour', 'day'] as const
type AgeBucket = (typeof AGE_BUCKETS)[number]

type UnconfirmedBucket = { bucket: AgeBucket; count: number; amount: string; after: string | null; before: string | null }
export type UnconfirmedMoney = { currency: Currency; count: number; amount: string; buckets: UnconfirmedBucket[] }

/** `counts`: succeeded transactions per day, for drawing only. */
export type OperatorHealth = { operator: OperatorCode; share: number | null; finished: number; failed: number; counts: number[] }

/** Transactions by the state of their webhook: delivered, still to be delivered, given up. */
type WebhookCounts = { delivered: number; due: number; exhausted: number }
type WebhookTarget = WebhookCounts & { target: string; lastDeliveredAt: string | null }
/** `delivered` and `exhausted` ended at `after` or later and before `before`. */
export type WebhookHealthDto = WebhookCounts & { after: string; before: string; worst: WebhookTarget[] }

/** Transactions that somebody has to clarify with their operator, the newest first. */
export type AlertedTransactions = {
  count: number
  isMore: boolean
  newest: {
    transactionId: string
    operator: OperatorCode
    currency: Currency
    amount: string
    status: 'SUCCESS' | 'FAILED'
    adjustments: readonly AdjustmentKind[]
    at: string
  }[]
}

/** Items waiting for a checker; `risky` are the oldest that have risk flags, `flagged` how many of the `looked` oldest have any. */
export type CheckerOverview = {
  count: number
  /** Batches that wait for this checker; their rows are not in `count` or `sums`. */
  batches: number
  oldestAt: string | null
  sums: readonly CurrencyAmount[]
  looked: number
  flagged: number
  risky: Pick<ApprovalRow, 'transactionId' | 'type' | 'operator' | 'currency' | 'amount' | 'customerName' | 'risks'>[]
}

/** The amount an operator reports above (or, below zero, under) our ledger and everything that explains a difference. */
type BalanceAlarmDto = { operator: OperatorCode; currency: Currency; unexplained: string; since: string }

type LowBalance = Pick<BalanceCard, 'operator' | 'currency' | 'deposit'> & { threshold: string }

/** Today by direction against yesterday, and what needs attention. */
export type FinanceOverview = {
  today: UtcDay
  yesterday: UtcDay
  money: CurrencyMoney[]
  unconfirmed: UnconfirmedMoney[]
  /** Final results that an operator contradicts and, asked about it, did not confirm. */
  contradictions: AlertedTransactions
  /** Of the last 30 days: their operator gave the same reference to another transaction. */
  sharedReferences: AlertedTransactions
  lowBalances: LowBalance[]
  /** Only for the application that runs the installation. */
  balanceAlarms: BalanceAlarmDto[]
  charts: CurrencyChart[]
}

export type OwnTransaction = {
  transactionId: string
  type: TransactionType
  operator: OperatorCode
  currency: Currency
  amount: string
  customerName: string
  phoneNumber: string
  failure: FailureCase
  /** The reason that a checker wrote, or the operator's own words where we have none for the cause. */
  message: string | null
  at: string
}
type OwnGroup = { count: number; newest: OwnTransaction[] }

/** A maker's payments: those that wait, and those rejected or failed since `since`. */
export type MakerOverview = {
  since: string
  waiting: { count: number; oldestAt: string | null; sums: CurrencyAmount[] }
  /** Rejected, or not decided in time, and not sent again. */
  returned: OwnGroup
  failed: OwnGroup
  drafts: number
}

/** Whether operators and receivers work; `share` over all operators. */
export type AdministratorOverview = {
  share: number | null
  operators: OperatorHealth[]
  webhooks: WebhookHealthDto
  /** Waiting items that no present person can decide. */
  blocked: number
}

/** A part for each role of the person; null for a role that they do not have. */
export type OverviewDto = {
  zone: string
  asOf: string
  from: UtcDay
  to: UtcDay
  /** The directions that do not work as usual now. */
  disturbed: readonly DisturbedDirection[]
  checker: CheckerOverview | null
  finance: FinanceOverview | null
  maker: MakerOverview | null
  administrator: AdministratorOverview | null
}

export const BALANCES_VIEWS = ['cards', 'table'] as const
export type BalancesView = (typeof BALANCES_VIEWS)[number]

export type BalanceCard = {
  operator: OperatorCode
  currency: Currency
  collect: string
  deposit: string
  held: string
  /** The application's share of the fees, as long as two people of the installation have not taken it out into the collect balance. */
  fees: string
  /** Deposit balance at the end of each of the last 30 days, for drawing only. */
  trend: number[]
  threshold: string | null
  isLow: boolean
  /** Since when it is below the threshold; null where it never was above. */
  lowSince: string | null
}

export type BalancesDto = { asOf: string; free: { currency: Currency; operators: number; amount: string }[]; cards: BalanceCard[] }

/** Movements of money in a period. `in` = collected + funded; opening + in - out - withdrawn - fees + corrected + adjusted = closing. */
export type Movements = {
  collected: string
  funded: string
  paid: string
  fees: string
  corrected: string
  withdrawn: string
  adjusted: string
  placed: string
  released: string
  count: number
}
export type Holdings = { collect: string; deposit: string; held: string; total: string }
/** A day; in a long statement a month (`2026-11`) or a year (`2026`). `from` and `to`: its days in the range, both included. */
export type StatementDay = Movements & { day: string; from: UtcDay; to: UtcDay; closing: Holdings }

export type StatementDto = {
  zone: string
  operator: OperatorCode
  currency: Currency
  asOf: string
  from: UtcDay
  to: UtcDay
  opening: Holdings
  movements: Movements
  closing: Holdings
  /** Days on which something moved; months or years of them where there are very many. */
  days: StatementDay[]
  /** Whether everything ever posted adds up to the live balance, in one snapshot. */
  agrees: boolean
}

/**
 * The acts of two people on the books of a transaction whose status is final: undo a success, book a success that came after a failure, forgo
 * money. And the application's fees, which become part of its collect balance.
 */
export const ADJUSTMENT_KINDS = ['reverse', 'late', 'concede', 'fees_out'] as const
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number]

/** Lines behind one movement of a statement: of one kind, adjustments of every kind, or those with fees. */
export const LINE_FILTERS = ['hold', 'release', 'collect', 'pay', 'fund', 'correct', 'withdraw', 'adjust', 'fees'] as const
export type LineFilter = (typeof LINE_FILTERS)[number]

/** A move between two balances of the application is in no sum: nothing came in or went out. */
export type LineKind = Exclude<LineFilter, 'fees' | 'adjust'> | 'move' | AdjustmentKind

export type StatementLine = {
  id: string
  at: string
  kind: LineKind
  transactionId: string | null
  /** Of the transaction, in order of time; those of later days too. */
  adjustments: readonly AdjustmentKind[]
  customerName: string | null
  /** Of the transaction: its amount before fees, whom it is about, and its names at the partner and at the operator. */
  amount: string | null
  phoneNumber: string | null
  externalId: string | null
  operatorReference: string | null
  reason: string | null
  collect: string
  deposit: string
  held: string
  fees: string
  /** All balances together after this line; null where only lines of one kind are shown. */
  balance: string | null
}
/** `sum`: what all lines of the filter add up to; null where lines of every kind are shown. */
export type StatementLinesDto = { sum: string | null; lines: StatementLine[]; total: number; page: number; size: number }

export type TotalStatus = TransactionStatus | 'ALL'
