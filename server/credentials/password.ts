import { randomUUID } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import type { Clock } from '#lib/time/time.ts'
import { createKeyedDigest } from './address.ts'

/**
 * One of the settings that OWASP lists as equally strong: 9 MiB, four passes, one thread; about as long as 19 MiB with two passes. A flood of
 * sign-ins then costs a process 18 MiB at a time instead of 38. A stored hash names its own parameters: older ones stay valid.
 */
const PARAMETERS: Options = { memoryCost: 9_216, timeCost: 4, parallelism: 1 }
/** Longer passwords are refused: hashing them only costs time. */
const PASSWORD_LENGTH_MAX = 1_024

export type PasswordHasher = {
  /** Returns the argon2id text to store for a password. */
  hashPassword(password: string): Promise<string>
  /** Returns whether the password belongs to this hash. Without a hash (an unknown person): false, after the same work. */
  isPasswordRight(passwordHash: string | undefined, password: string): Promise<boolean>
}

/** Makes a hasher. Tests pass a lower cost, or count the comparisons. */
export function createPasswordHasher(parameters: Options = PARAMETERS, compare: typeof verify = verify): PasswordHasher {
  // Passwords of unknown people are compared with this hash, so that an unknown name takes as long as a wrong password.
  const nobodyHash = hash(crypto.randomUUID(), parameters)
  return {
    hashPassword: (password) => hash(password, parameters),
    async isPasswordRight(passwordHash, password) {
      const matches = await compare(passwordHash ?? (await nobodyHash), password.slice(0, PASSWORD_LENGTH_MAX))
      return matches && passwordHash !== undefined && password.length <= PASSWORD_LENGTH_MAX
    },
  }
}

/** The hasher of this process. */
export const { hashPassword, isPasswordRight } = createPasswordHasher()

/** How long, and for how many programs, a password that was right is recognised without argon2. */
const REMEMBERED_MS = 3_600_000
const REMEMBERED_MAX = 10_000

/** The entry of one name and password: the stored hash that they matched. */
export type Remembered = { hash: string | undefined; remember(hash: string): void }

/**
 * Programs sign in again after every 401, some without limit: those that were right within the hour are recognised by a
 * keyed digest, ahead of every queue. Only programs, whose passwords are generated: a digest that is quick to compute must
 * never replace the hash of a password that a person chose. The key exists in this process only, and the digest counts only for the
 * stored hash that it was right for.
 */
export function createVerifiedPasswordCache(clock: Clock): (name: string, password: string) => Remembered {
  const keyed = createKeyedDigest(randomUUID())
  const known = createBoundedCache<string, { hash: string; untilMs: number }>(REMEMBERED_MAX)
  return (name, password) => {
    const fingerprint = keyed(name, password).toString('base64')
    const entry = known.get(fingerprint)
    return {
      hash: entry && entry.untilMs > clock.now().getTime() ? entry.hash : undefined,
      remember: (hash) => known.set(fingerprint, { hash, untilMs: clock.now().getTime() + REMEMBERED_MS }),
    }
  }
}

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
