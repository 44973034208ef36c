/**
 * A source of numbers with the same sequence for the same seed: the sandbox's history is the same everywhere, and what failed in
 * a test fails again.
 */
export type Random = {
  /** At least 0, below 1. */
  next(): number
  /** A whole number, both ends included. */
  between(minimum: number, maximum: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** One of the keys, as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key
  /** A version 4 UUID. */
  uuid(): string
  /** A version 7 UUID of that instant: ids in order of time, as the service makes them. */
  uuidAt(instant: Date): string
}

/** Mulberry32: small, fast and good enough for plausible data; not for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (minimum: number, maximum: number) => minimum + Math.floor(next() * (maximum - minimum + 1))
  function pick<Item>(items: readonly Item[]): Item {
    const item = items[between(0, items.length - 1)]
    if (item === undefined) throw new Error('Nothing to pick from')
    return item
  }
  function weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const keys = Object.keys(weights) as Key[]
    let left = next() * keys.reduce((sum, key) => sum + weights[key], 0)
    for (const key of keys) {
      left -= weights[key]
      if (left < 0) return key
    }
    return pick(keys)
  }
  function uuid(): string {
    const hex = Array.from({ length: 32 }, () => between(0, 15).toString(16))
    hex[12] = '4'
    hex[16] = pick(['8', '9', 'a', 'b'])
    return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
  function uuidAt(instant: Date): string {
    const time = instant.getTime().toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${uuid().slice(15)}`
  }
  return { next, between, chance: (probability) => next() < probability, pick, weighted, uuid, uuidAt }
}
