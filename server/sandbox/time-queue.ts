/** Steps in order of their time; steps of the same instant in the order in which they were added. */
export class TimeQueue<Item> {
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
