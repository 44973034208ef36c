/** Numbers that come out the same for the same seed. */
export type Random = {
  /** In [0, 1). */
  next(): number
  /** A whole number, both ends included. */
  between(from: number, to: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** A UUID version 4. */
  uuid(): string
}

/** mulberry32: small, quick, and good enough to choose what happens next. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[between(0, items.length - 1)]
      if (item === undefined) throw new Error('Nothing to pick from')
      return item
    },
    uuid() {
      const digits = Array.from({ length: 32 }, () => between(0, 15).toString(16))
      digits[12] = '4'
      digits[16] = '89ab'[between(0, 3)] ?? '8'
      const hex = digits.join('')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
    },
  }
}
