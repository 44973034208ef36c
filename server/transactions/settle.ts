import { type Batcher, createBatcher } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import { isDataError, RETRY_CANCELLED } from '#server/database/with-transaction.ts'
import { retryWithBackoff } from '#server/retry.ts'
import { type TransitionItem, type TransitionOutcome, transition } from './transition.ts'

export type Settler = {
  /** Moves one transaction, together with others that end at the same time. Resolves after the commit. */
  settle(item: TransitionItem): Promise<TransitionOutcome>
  /** Called after each batch that may have written webhooks. */
  addFinalListener(listener: () => void): void
  drain(): Promise<void>
}

export type SettlerOptions = { pool: Pool; batchMax?: number; onBatch?(size: number): void }

/** Settlement is batched the same way as intake. */
export function createSettler(options: SettlerOptions): Settler {
  const listeners: (() => void)[] = []
  const batcher: Batcher<TransitionItem, TransitionOutcome> = createBatcher({
    key: (item) => item.transactionId,
    async run(items) {
      const outcomes = await transitionAgainOnDeadlock(options.pool, items)
      for (const listener of listeners) listener()
      return outcomes
    },
    // Results come from our own bounded dispatch; none of them may be turned away.
    queueMax: Number.MAX_SAFE_INTEGER,
    batchMax: options.batchMax ?? 256,
    slots: 2,
    isItemError: isDataError,
    onBatch: options.onBatch,
  })
  return { settle: batcher.submit, drain: batcher.drain, addFinalListener: (listener) => void listeners.push(listener) }
}

/** The statement touches rows of operator_work that the dispatcher also updates, so a deadlock is possible, if rare. */
function transitionAgainOnDeadlock(pool: Pool, items: TransitionItem[]): Promise<TransitionOutcome[]> {
  return retryWithBackoff(() => transition(pool, items), RETRY_CANCELLED)
}
