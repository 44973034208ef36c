/** As long as a webhook keeps from the creation of its transaction (`sql/apply-transitions.sql`). */
const AFTER_ANSWER_MS = 500

/**
 * The transactions of arrays that this process is taking in. An array is stored by several statements, and its answer waits for the last one:
 * while the database fails over in between, the first transactions may end seconds before their caller knows their ids.
 */
export class UnansweredArrays {
  readonly #released = new Map<string, Promise<void>>()

  /** Does the work that takes an array in, and keeps the webhooks of these transactions back until half a second after its end. */
  async during<Value>(transactionIds: readonly string[], work: () => Promise<Value>): Promise<Value> {
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const id of transactionIds) this.#released.set(id, promise)
    try {
      return await work()
    } finally {
      setTimeout(() => {
        for (const id of transactionIds) this.#released.delete(id)
        resolve()
      }, AFTER_ANSWER_MS)
    }
  }

  /** Resolves when a webhook of this transaction may be sent; undefined: it may be sent now. */
  untilAnswered = (transactionId: string): Promise<void> | undefined => this.#released.get(transactionId)
}
