import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import type { ApprovalPolicy } from '#lib/rules/approval-policy.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { AuditEntry } from '#server/audit/append-audit.ts'
import type { TrxClient } from '#server/database/pool.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import type { Actor, TransitionItem } from '#server/transactions/transition.ts'
import type { HistoryRows } from './history-rows.ts'
import type { PlannedTransaction } from './plan-history.ts'

export type Setting = {
  trx: TrxClient
  random: Random
  nowMs: number
  applicationId: string
  apiUserId: string
  checkerIds: string[]
  policy: ApprovalPolicy
  /** The level to which each deposit balance is refilled, in hundredths. */
  targets: Readonly<Record<OperatorCode, bigint>>
}

/** The conditions for the approval of a transaction. */
type ApprovalTerms = { steps: readonly number[]; needsCode: boolean; apiMayDecide: boolean; expiresAtMs: number }

/** A transaction and the state that it has reached. */
export type LiveTransaction = {
  plan: PlannedTransaction
  item: IntakeItem
  /** When it became PENDING; of one that still waits, when it was created. */
  pendingAtMs: number
  /** The approval that it needs; null where no rule applied. */
  terms: ApprovalTerms | null
  status: TransactionStatus
  version: number
  /** The amount on hold for it, in hundredths. */
  heldMinor: bigint
  /** The balance did not cover it. */
  isUnfunded: boolean
  message: string | null
  checkerId: string | null
  /** The operator's own names of it, once it is final. */
  operatorReference: string | null
  operatorReferenceOther: string | null
  /** Its place among the results of the same status, and when it ended; null: it is open. */
  final: { sequence: number; atMs: number } | null
}

/** A checker's decision; `step` is the step of the rule that it belongs to. */
export type Decision = {
  checkerId: string
  verdict: 'validated' | 'rejected'
  step: number
  note: string
  through: 'api' | 'back_office'
  /** The checker, or the program that sent the decision in. */
  actor: Actor
}

export type Step =
  /** One approval; the last one that the rule requires moves the transaction. */
  | { kind: 'approval'; live: LiveTransaction; decision: Decision; isLast: boolean }
  /** The transaction becomes final. */
  | { kind: 'end'; live: LiveTransaction; move: TransitionItem; rejection: Decision | null }

/** Money that people of an application brought to an operator, in hundredths. */
export type Brought = { operator: OperatorCode; fundingId: string; amountMinor: bigint; atMs: number }

export type Simulation = {
  setting: Setting
  queue: TimeQueue<Step>
  /** The transactions open at an operator when the history ends. */
  open: LiveTransaction[]
  /** The transactions that their operators ended. */
  ended: LiveTransaction[]
  /** The money that was brought to operators. */
  brought: Brought[]
  /** The transactions whose results the operator will contradict. */
  contradicted: LiveTransaction[]
  /** The deposit balances, in hundredths. */
  balances: Map<OperatorCode, bigint>
  startedCount: number
  finalCounts: { SUCCESS: number; FAILED: number }
  /** The transactions that have moved and are not stored yet. */
  moved: Set<LiveTransaction>
  rows: HistoryRows
  audit: { atMs: number; entry: AuditEntry }[]
}

/** A simulation in which nothing has happened yet. */
export function newSimulation(setting: Setting): Simulation {
  return {
    setting,
    queue: new TimeQueue(),
    open: [],
    ended: [],
    brought: [],
    contradicted: [],
    balances: new Map(),
    startedCount: 0,
    finalCounts: { SUCCESS: 0, FAILED: 0 },
    moved: new Set(),
    rows: {
      transaction_events: [],
      approval_items: [],
      approval_decisions: [],
      operator_attempts: [],
      operator_work: [],
      webhook_deliveries: [],
      webhook_attempts: [],
      postings: [],
    },
    audit: [],
  }
}

/** Steps in order of their time; steps of the same instant in the order in which they were added. */
class TimeQueue<Item> {
  #entries: { atMs: number; item: Item }[] = []

  add(atMs: number, item: Item): void {
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle]?.atMs ?? 0) <= atMs) low = middle + 1
      else high = middle
    }
    this.#entries.splice(low, 0, { atMs, item })
  }

  /** Removes and returns the first step, if it is before an instant. */
  takeFirst(untilMs: number): { atMs: number; item: Item } | undefined {
    const [first] = this.#entries
    return first && first.atMs < untilMs ? this.#entries.shift() : undefined
  }
}
