const WORDS = 3
const FIRST_SLOTS = 1 << 14
/** Of the slots. */
const FULL_SHARE = 0.6

/**
 * Counts how often each key of a file has come. Keys are kept as 96 bits of a hash that differs from process to process, in typed arrays: a
 * million of them take 25 MB outside the heap, as texts they would take five times as much. That two keys of two million are taken for one has a
 * chance of 1 in 10^17.
 */
export class KeyCounter {
  #slots = FIRST_SLOTS
  #words = new Uint32Array(FIRST_SLOTS * WORDS)
  #counts = new Uint32Array(FIRST_SLOTS)
  #size = 0
  readonly #seed = crypto.getRandomValues(new Uint32Array(WORDS))
  readonly #hash = new Uint32Array(WORDS)

  /** Counts a key and returns how often it had come before. */
  count(key: string): number {
    if (this.#size > this.#slots * FULL_SHARE) this.#grow()
    this.#computeHash(key)
    const [a = 0, b = 0, c = 0] = this.#hash
    const slot = this.#slotOf(a, b, c)
    const before = this.#counts[slot] ?? 0
    if (before === 0) this.#put(slot, a, b, c)
    this.#counts[slot] = before + 1
    return before
  }

  #put(slot: number, a: number, b: number, c: number): void {
    this.#words[slot * WORDS] = a
    this.#words[slot * WORDS + 1] = b
    this.#words[slot * WORDS + 2] = c
    this.#size++
  }

  #slotOf(a: number, b: number, c: number): number {
    const words = this.#words
    for (let slot = a % this.#slots; ; slot = (slot + 1) % this.#slots) {
      if (this.#counts[slot] === 0) return slot
      if (words[slot * WORDS] === a && words[slot * WORDS + 1] === b && words[slot * WORDS + 2] === c) return slot
    }
  }

  #grow(): void {
    const [words, counts] = [this.#words, this.#counts]
    this.#slots *= 2
    this.#size = 0
    this.#words = new Uint32Array(this.#slots * WORDS)
    this.#counts = new Uint32Array(this.#slots)
    for (const [place, count] of counts.entries()) {
      if (count === 0) continue
      const [a = 0, b = 0, c = 0] = words.subarray(place * WORDS, place * WORDS + WORDS)
      const slot = this.#slotOf(a, b, c)
      this.#put(slot, a, b, c)
      this.#counts[slot] = count
    }
  }

  /** Three rounds of MurmurHash3 over the characters, each with its own seed and factor. */
  #computeHash(key: string): void {
    let [a = 0, b = 0, c = 0] = this.#seed
    for (let at = 0; at < key.length; at++) {
      const sign = key.charCodeAt(at)
      a = mix(a ^ Math.imul(sign, 0xcc9e2d51))
      b = mix(b ^ Math.imul(sign, 0x85ebca6b))
      c = mix(c ^ Math.imul(sign, 0xc2b2ae35))
    }
    this.#hash[0] = finish(a)
    this.#hash[1] = finish(b)
    this.#hash[2] = finish(c)
  }
}

function mix(hash: number): number {
  return Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64
}

function finish(hash: number): number {
  let left = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  left = Math.imul(left ^ (left >>> 13), 0xc2b2ae35)
  return (left ^ (left >>> 16)) >>> 0
}
