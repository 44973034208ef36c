/** A map that forgets what was used longest ago once it holds `entriesMax` entries. */
type BoundedCache<Key, Value> = { get(key: Key): Value | undefined; set(key: Key, value: Value): void; delete(key: Key): void }

/** Makes an empty cache. Memory is bounded by `entriesMax` times the size of an entry. */
export function createBoundedCache<Key, Value>(entriesMax: number): BoundedCache<Key, Value> {
  const entries = new Map<Key, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      // A Map iterates in order of insertion: putting it back makes it the youngest.
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= entriesMax) return
      const oldest = entries.keys().next()
      if (!oldest.done) entries.delete(oldest.value)
    },
    delete(key) {
      entries.delete(key)
    },
  }
}
