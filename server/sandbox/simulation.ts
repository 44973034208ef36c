import type { ApprovalPolicy } from '#lib/approval-policy.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { AuditEntry } from '#server/audit/append-audit.ts'
import type { TrxClient } from '#server/database/pool.ts'
import type { Actor } from '#server/transactions/actor.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import type { TransitionItem } from '#server/transactions/transition.ts'
import type { ExternalRows } from './external-rows.ts'
import type { PlannedTransaction } from './plan-history.ts'
import type { ApprovalTerms } from './seed-store.ts'
import { TimeQueue } from './time-queue.ts'

export type Setting = {
  trx: TrxClient
  random: Random
  nowMs: number
  applicationId: string
  apiUserId: string
  checkerIds: string[]
  policy: ApprovalPolicy
  /** What each deposit balance is filled up to, in hundredths. */
  targets: Readonly<Record<OperatorCode, bigint>>
}

/** A transaction that was taken in. */
export type LiveTransaction = {
  plan: PlannedTransaction
  item: IntakeItem
  /** When it became PENDING; of one that still waits, when it was created. */
  pendingAtMs: number
  /** The approval that it needs; null where no rule applied. */
  terms: ApprovalTerms | null
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

export type Simulation = {
  setting: Setting
  queue: TimeQueue<Step>
  /** What is open at an operator when the history ends. */
  open: LiveTransaction[]
  /** What the operator will contradict. */
  contradicted: LiveTransaction[]
  rows: ExternalRows
  audit: { atMs: number; entry: AuditEntry }[]
}

/** A simulation in which nothing has happened yet. */
export function newSimulation(setting: Setting): Simulation {
  const rows = { approval_decisions: [], operator_attempts: [], webhook_attempts: [], operator_work: [], webhook_deliveries: [] }
  return { setting, queue: new TimeQueue(), open: [], contradicted: [], rows, audit: [] }
}
