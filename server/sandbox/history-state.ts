import type { ApprovalBand, ApprovalPolicy } from '#lib/approval-policy.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { TransitionEvent } from '#lib/transaction-status.ts'
import type { PlannedTransaction } from './plan-history.ts'
import type { EventSeed, SeedRows, TransactionSeed } from './seed-rows.ts'
import type { TimeQueue } from './time-queue.ts'

export type Setting = {
  random: Random
  nowMs: number
  applicationId: string
  apiUserId: string
  checkerIds: string[]
  policy: ApprovalPolicy
  /** What each deposit balance is filled up to, in hundredths. */
  targets: Readonly<Record<OperatorCode, bigint>>
}

/** One transaction on its way through the history. */
export type Live = { plan: PlannedTransaction; row: TransactionSeed; band: ApprovalBand | null; pendingAtMs: number }

export type Step =
  | { kind: 'create'; plan: PlannedTransaction }
  | { kind: 'decide'; live: Live; checkerId: string; step: number; isLast: boolean }
  | {
      kind: 'end'
      live: Live
      event: TransitionEvent
      message: string
      actor: Pick<EventSeed, 'actor_kind' | 'actor_id'>
      reason: string | null
    }
  | { kind: 'fund'; isLastOne: boolean }

export type Play = {
  setting: Setting
  rows: SeedRows
  queue: TimeQueue<Step>
  depositMinor: Map<OperatorCode, bigint>
  counts: { all: number; SUCCESS: number; FAILED: number }
  /** Numbers that were paid, and what each maker sent to each number lately: what approval rules look at. */
  paid: Set<string>
  sent: Map<string, { atMs: number; amountMinor: bigint }[]>
}
