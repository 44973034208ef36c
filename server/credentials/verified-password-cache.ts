import { randomUUID } from 'node:crypto'
import type { Clock } from '#lib/time.ts'
import { createBoundedCache } from './bounded-cache.ts'
import { createKeyedDigest } from './sign-in-origin.ts'

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
