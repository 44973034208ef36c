/** As long as a webhook keeps from the creation of its transaction (`sql/apply-transitions.sql`). */
const AFTER_CREATION_MS = 500
/**
 * Of what was quicker, the pause since the creation covers the way of the answer: also where the answer is read from the database after the
 * transaction was taken in, which may take this long once more.
 */
const QUICK_MS = AFTER_CREATION_MS / 3

/** A transaction that is kept back: how many works about it have not ended, and who waits for the last of them. */
type Hold = { works: number; waiting: (() => void)[] }

/**
 * The transactions about which this process has not answered yet, so that their callers do not know their ids. While the database fails over, one that
 * the new primary has can end before its commit is acknowledged here, before the last statement of its array is, or before its answer is read.
 */
export class UnansweredStarts {
  readonly #held = new Map<string, Hold>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /**
   * Does a work that precedes the answer, and keeps the webhooks of these transactions back until its end: if it was slow, until half a second
   * afterwards. Of several works about one transaction the last one decides.
   */
  async during<Value>(transactionIds: readonly string[], work: () => Promise<Value>): Promise<Value> {
    const startedMs = this.#nowMs()
    for (const id of transactionIds) {
      const hold = this.#held.get(id)
      if (hold) hold.works++
      else this.#held.set(id, { works: 1, waiting: [] })
    }
    try {
      return await work()
    } finally {
      if (this.#nowMs() - startedMs < QUICK_MS) this.#release(transactionIds)
      else setTimeout(() => this.#release(transactionIds), AFTER_CREATION_MS)
    }
  }

  /** Resolves when a webhook of this transaction may be sent; undefined: it may be sent now. */
  untilAnswered = (transactionId: string): Promise<void> | undefined => {
    const hold = this.#held.get(transactionId)
    return hold && new Promise((resolve) => hold.waiting.push(resolve))
  }

  #release(transactionIds: readonly string[]): void {
    for (const id of transactionIds) {
      const hold = this.#held.get(id)
      if (!hold || --hold.works > 0) continue
      this.#held.delete(id)
      for (const resolve of hold.waiting) resolve()
    }
  }
}
