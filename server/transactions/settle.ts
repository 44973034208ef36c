import type { Pool } from '#server/database/pool.ts'
import { isDataError, RETRY_CANCELLED } from '#server/database/with-transaction.ts'
import { retryWithBackoff } from '#server/retry.ts'
import { createApplicationLanes } from './application-lanes.ts'
import { type TransitionItem, type TransitionOutcome, transition } from './transition.ts'

export type Settler = {
  /** Moves one transaction, in one batch with others that end at the same time. Resolves after the commit. */
  settle(item: TransitionItem): Promise<TransitionOutcome>
  /** Called after each batch that may have written webhooks. */
  addFinalListener(listener: () => void): void
  drain(): Promise<void>
}

type SettlerOptions = { pool: Pool; batchMax?: number; onBatch?(size: number): void }

/** Creates the batches of settlement, which work like those of intake. */
export function createSettler(options: SettlerOptions): Settler {
  const listeners: (() => void)[] = []
  const lanes = createApplicationLanes<TransitionItem, TransitionOutcome>({
    key: (item) => item.transactionId,
    async run(items) {
      const outcomes = await transitionAgainOnDeadlock(options.pool, items)
      for (const listener of listeners) listener()
      return outcomes
    },
    // Results come from our own bounded dispatcher, and none may be refused.
    queueMax: Number.MAX_SAFE_INTEGER,
    batchMax: options.batchMax ?? 256,
    isItemError: isDataError,
    onBatch: options.onBatch,
  })
  return { settle: lanes.submit, drain: lanes.drain, addFinalListener: (listener) => void listeners.push(listener) }
}

/** The statement changes rows of operator_work that the dispatcher also updates, so a deadlock is possible. It is repeated then. */
function transitionAgainOnDeadlock(pool: Pool, items: TransitionItem[]): Promise<TransitionOutcome[]> {
  return retryWithBackoff(() => transition(pool, items), RETRY_CANCELLED)
}
