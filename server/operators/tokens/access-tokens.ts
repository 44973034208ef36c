import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { claimRenewal, expireToken, readToken, releaseRenewal, type StoredToken, storeToken, type TokenKey } from './access-token-store.ts'

/** A token as the operator issued it. */
export type IssuedToken = { token: string; expiresInMs: number }

export type AccessTokens = {
  /**
   * Returns a token that is valid for some time, or undefined if `fetch` returned none. Of all processes only one fetches at a time;
   * the others use the present token or wait for the new one.
   */
  get(key: TokenKey, fetch: () => Promise<IssuedToken | undefined>): Promise<string | undefined>
  /** The operator refused this token: the next `get` fetches another one. */
  forget(key: TokenKey, token: string): Promise<void>
}

/** A token is renewed when a sixth of its time is left, ten minutes at most: at MTN, ten minutes before the end of its hour. */
const RENEWAL_SHARE = 6
const RENEWAL_MS_MAX = 600_000
/** Longer than a fetch may take. */
const RENEWAL_LEASE_MS = 15_000
const WAIT_STEP_MS = 100
/** After a fetch without a token: an operator that refuses credentials is not asked again for every call. */
const FAILURE_PAUSE_MS = 2_000

/** Names an account by its credentials, so that a token of old credentials is never used with new ones. Reveals nothing about them. */
export function accountOf(name: string, ...credentials: readonly string[]): string {
  return `${name} ${createHash('sha256').update(JSON.stringify(credentials)).digest('hex').slice(0, 32)}`
}

/** Access tokens in the memory of this process and in the database, where all processes share them. */
export function createAccessTokens(pool: Pool): AccessTokens {
  const known = new Map<string, StoredToken>()
  const fetching = new Map<string, Promise<string | undefined>>()
  const failedAtMs = new Map<string, number>()

  async function renew(key: TokenKey, fetch: () => Promise<IssuedToken | undefined>): Promise<string | undefined> {
    const waitsUntilMs = performance.now() + RENEWAL_LEASE_MS
    for (;;) {
      const stored = await readToken(pool, key)
      if (stored && !isDue(stored)) return remember(key, stored)
      if (await claimRenewal(pool, key, RENEWAL_LEASE_MS)) break
      // Another process is fetching the next one.
      if (stored && isUsable(stored)) return stored.token
      if (performance.now() > waitsUntilMs) return undefined
      await delay(WAIT_STEP_MS)
    }
    const issued = await fetch()
    if (!issued) {
      failedAtMs.set(nameOf(key), performance.now())
      await releaseRenewal(pool, key)
      return undefined
    }
    const renewBeforeMs = Math.min(RENEWAL_MS_MAX, issued.expiresInMs / RENEWAL_SHARE)
    return remember(key, await storeToken(pool, key, { ...issued, renewBeforeMs }))
  }

  function remember(key: TokenKey, stored: StoredToken): string {
    known.set(nameOf(key), stored)
    return stored.token
  }

  return {
    async get(key, fetch) {
      const name = nameOf(key)
      const present = known.get(name)
      if (present && !isDue(present)) return present.token
      const usable = present && isUsable(present) ? present.token : undefined
      if (performance.now() < (failedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + FAILURE_PAUSE_MS) return usable
      const inProgress = fetching.get(name) ?? renew(key, fetch).finally(() => fetching.delete(name))
      fetching.set(name, inProgress)
      if (usable === undefined) return inProgress
      // A token that is only due is used meanwhile.
      inProgress.catch((error: unknown) =>
        reportUnexpected('operators: token', error, {
          message: 'A token could not be renewed in time; the present one is used until it ends',
        }),
      )
      return usable
    },
    async forget(key, token) {
      if (known.get(nameOf(key))?.token === token) known.delete(nameOf(key))
      await expireToken(pool, key, token)
    },
  }
}

function nameOf({ operator, account }: TokenKey): string {
  return `${operator} ${account}`
}

function isDue(stored: StoredToken): boolean {
  return performance.now() >= stored.renewAtMs
}

function isUsable(stored: StoredToken): boolean {
  return performance.now() < stored.expiresAtMs
}
