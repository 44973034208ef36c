/** Things that happen, in order of their time; those of one instant in order of their adding. */
export class TimeQueue<Item> {
  #entries: { atMs: number; item: Item }[] = []
  #next = 0

  add(atMs: number, item: Item): void {
    let low = this.#next
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle]?.atMs ?? 0) <= atMs) low = middle + 1
      else high = middle
    }
    this.#entries.splice(low, 0, { atMs, item })
  }

  take(): { atMs: number; item: Item } | undefined {
    return this.#entries[this.#next++]
  }
}
