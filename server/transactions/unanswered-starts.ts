/** As long as a webhook keeps from the creation of its transaction (`sql/apply-transitions.sql`). */
const AFTER_CREATION_MS = 500
/** Of what was taken in more quickly, the pause since the creation covers the way of the answer. */
const QUICK_MS = AFTER_CREATION_MS / 2

/**
 * The transactions that this process is taking in, whose callers do not know their ids yet. While the database fails over, one that the new primary
 * has can end before its commit is acknowledged here, or before the last statement of its array is.
 */
export class UnansweredStarts {
  readonly #released = new Map<string, Promise<void>>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /**
   * Does the work that takes transactions in, and keeps their webhooks back until its end: if it was slow, until half a second afterwards. What an
   * array keeps back already stays with the array.
   */
  async during<Value>(transactionIds: readonly string[], work: () => Promise<Value>): Promise<Value> {
    const startedMs = this.#nowMs()
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = transactionIds.filter((id) => !this.#released.has(id))
    for (const id of own) this.#released.set(id, promise)
    const release = () => {
      for (const id of own) this.#released.delete(id)
      resolve()
    }
    try {
      return await work()
    } finally {
      if (this.#nowMs() - startedMs < QUICK_MS) release()
      else setTimeout(release, AFTER_CREATION_MS)
    }
  }

  /** Resolves when a webhook of this transaction may be sent; undefined: it may be sent now. */
  untilAnswered = (transactionId: string): Promise<void> | undefined => this.#released.get(transactionId)
}
