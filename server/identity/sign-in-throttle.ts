import { createHmac, randomBytes } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { throttleAddress } from './allow-list.ts'
import { createBoundedCache } from './bounded-cache.ts'
import { isPasswordRight } from './password.ts'
import { digest } from './secrets.ts'
import { addFailure, deleteFailures, deleteFailuresBefore, readFailures } from './throttle-store.ts'
import { createWorkGate, type WorkGate } from './work-gate.ts'

/** Wrong passwords for one name from one address, and for all names from one address, before answers say "too many". */
const PAIR_FAILURES_MAX = 10
const ADDRESS_FAILURES_MAX = 100
/** Failures are forgotten this long after the last one. */
export const THROTTLE_WINDOW_MS = 15 * 60_000
/** A throttled name and address is checked at most this often, a throttled address this often, in each process. */
const PAIR_SPACING_MS = 1_000
const ADDRESS_SPACING_MS = 250
/** How long, and for how many programs, a password that was right is known again without argon2. */
const REMEMBERED_MS = 3_600_000
const REMEMBERED_MAX = 10_000

export type SignInFailure = { kind: 'wrong_credentials' } | { kind: 'throttled'; retryAfterMs: number }

/** Checks passwords at a bounded price. One per process. */
export type SignInThrottle = {
  /**
   * Whether `password` is right for `passwordHash` (undefined: nobody has that name). A right password always gets in,
   * however many wrong ones came before it; wrong ones are answered `throttled` after the limit, and are then checked
   * so seldom that guessing leads nowhere. `scope` keeps partners' user names and people's e-mail addresses apart.
   */
  check(attempt: {
    scope: 'api' | 'person'
    name: string
    address: string
    password: string
    passwordHash: string | undefined
  }): Promise<Result<void, SignInFailure>>
}

export type SignInThrottleOptions = { pool: Queryable; clock: Clock; gate?: WorkGate }

/**
 * Makes the throttle. Counts are in the database, shared by all processes; the pace of checking is kept in the process.
 * Memory of all argon2 work under way is at most two times 19 MiB.
 */
export function createSignInThrottle({
  pool,
  clock,
  gate = createWorkGate({ concurrency: 2, laneMax: 16, waitingMax: 256 }),
}: SignInThrottleOptions): SignInThrottle {
  const remembersRight = createMemoryOfRight(clock)
  return {
    async check({ scope, name, address, password, passwordHash }) {
      const memory = scope === 'api' && passwordHash !== undefined ? remembersRight(passwordHash, password) : undefined
      if (memory?.isKnown) return ok(undefined)
      const place = throttleAddress(address)
      // As digests: people type passwords into the name field.
      const pairKey = digest(`${scope} ${name.toLowerCase()} ${place}`).toString('hex')
      const addressKey = digest(`${scope} ${place}`).toString('hex')
      const since = (): Date => new Date(clock.now().getTime() - THROTTLE_WINDOW_MS)
      const [pair, whole] = await readFailures(pool, [pairKey, addressKey], since())
      const isPairThrottled = (pair?.failures ?? 0) >= PAIR_FAILURES_MAX
      const isAddressThrottled = (whole?.failures ?? 0) >= ADDRESS_FAILURES_MAX
      const lane = isAddressThrottled && !isPairThrottled ? addressKey : pairKey
      const spacingMs = isPairThrottled ? PAIR_SPACING_MS : isAddressThrottled ? ADDRESS_SPACING_MS : 0
      const isRight = await gate.run(lane, spacingMs, () => isPasswordRight(passwordHash, password))
      if (isRight === undefined) return err({ kind: 'throttled', retryAfterMs: PAIR_SPACING_MS })
      if (isRight) {
        memory?.remember()
        if (pair?.lastFailureAt) await deleteFailures(pool, pairKey)
        return ok(undefined)
      }
      const [pairFailures = 1, addressFailures = 1] = await addFailure(pool, [pairKey, addressKey], clock.now(), since())
      const excess = Math.max(pairFailures - PAIR_FAILURES_MAX, addressFailures - ADDRESS_FAILURES_MAX)
      return excess > 0 ? err({ kind: 'throttled', retryAfterMs: retryAfterMs(excess) }) : err({ kind: 'wrong_credentials' })
    },
  }
}

/** Removes counts that were forgotten anyway. For the scheduled cleaning; gives how many. */
export function pruneSignInThrottles(queryable: Queryable, now: Date): Promise<number> {
  return deleteFailuresBefore(queryable, new Date(now.getTime() - THROTTLE_WINDOW_MS))
}

/**
 * Programs sign in again after every 401, some without limit: those of partners who were right within the hour are known
 * again by a keyed digest, at once and in front of every queue. Only for programs, whose passwords are random: a digest
 * that is quick to compute must never stand for a password that somebody chose. A new password has a new hash, so nothing
 * outlives it. The key exists in this process only.
 */
function createMemoryOfRight(clock: Clock): (passwordHash: string, password: string) => { isKnown: boolean; remember(): void } {
  const key = randomBytes(32)
  const knownUntilMs = createBoundedCache<string, number>(REMEMBERED_MAX)
  return (passwordHash, password) => {
    const fingerprint = createHmac('sha256', key)
      .update(JSON.stringify([passwordHash, password]))
      .digest('base64')
    return {
      isKnown: (knownUntilMs.get(fingerprint) ?? 0) > clock.now().getTime(),
      remember: () => knownUntilMs.set(fingerprint, clock.now().getTime() + REMEMBERED_MS),
    }
  }
}

/** Advice to a program that retries without thinking: doubles from two seconds to a minute. */
function retryAfterMs(excess: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(excess, 6))
}
