import type { Queryable } from '#server/database/pool.ts'
import { CODE_KEYS, claimTry, deleteFailures } from './throttle-store.ts'

type TryLimit = {
  /** Wrong codes before every further one has to wait. */
  failuresMax: number
  /** How long it then waits. */
  waitMs: number
  /** Wrong codes are forgotten this long after the last one: a day at most. */
  windowMs: number
}

/**
 * Takes a try at a code for this key, counted as wrong until `forgiveTries` is called. Returns how many tries there have
 * been since the last right one, or undefined when it has to wait.
 */
export function takeTry(queryable: Queryable, key: string, now: Date, limit: TryLimit): Promise<number | undefined> {
  const { failuresMax, waitMs, windowMs } = limit
  return claimTry(queryable, `${CODE_KEYS}${key}`, now, before(now, windowMs), failuresMax, before(now, waitMs))
}

/** Forgets the tries of a key: the code was right. */
export function forgiveTries(queryable: Queryable, key: string): Promise<void> {
  return deleteFailures(queryable, `${CODE_KEYS}${key}`)
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}
