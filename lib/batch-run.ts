import type { Currency } from './money.ts'
import type { OperatorCode } from './operators.ts'

/** Where a row of a submitted batch is. `waiting`: for a decision. `queued`: approved, not sent. `sent`: an operator may have it. */
export type BatchRowPlace = 'waiting' | 'queued' | 'paused' | 'sent' | 'succeeded' | 'failed' | 'rejected' | 'stopped'

/** A count and the exact sum of the amounts. */
type BatchFigure = { count: number; amount: string }

/** How far the rows of a batch are at one operator. Places without rows are missing. */
export type BatchRunOperator = {
  operator: OperatorCode
  currency: Currency
  total: BatchFigure
  places: Partial<Record<BatchRowPlace, BatchFigure>>
  /** Of `sent`: how many have an unknown outcome. */
  unconfirmed: number
}

/** Why a retry leaves a failed row out: it may have been paid. `unanswered`: the operator did not confirm the failure before the retry. */
export type LeftOutReason = 'contradicted' | 'asked' | 'unanswered'

/** Failed rows that are not paid again: how many, and the first of them. */
export type LeftOutRows = { count: number; rows: readonly { transactionId: string; customerName: string; reason: LeftOutReason }[] }

type BatchLink = { batchId: string; name: string }

/** A batch after submission, as one person may see and use it. */
export type BatchRunDto = {
  batchId: string
  name: string | null
  state: 'waiting' | 'running' | 'paused' | 'stopped' | 'finished'
  /** Who paused, resumed or stopped it last. */
  changed: { by: string; at: string; reason: string | null } | null
  operators: readonly BatchRunOperator[]
  decisions: readonly { checkerName: string; decision: 'validated' | 'rejected'; count: number; at: string }[]
  /** The batch whose failed rows this one repeats, and the ones that repeat rows of this one. */
  parent: BatchLink | null
  retries: readonly (BatchLink & { rows: number })[]
  /** Failed rows of this batch that no retry takes until somebody has clarified them with the operator. */
  withheld: LeftOutRows
  /** Rows that failed, are in no retry and may be retried. */
  retryable: number
  can: { pause: boolean; resume: boolean; stop: boolean; retry: boolean }
}
