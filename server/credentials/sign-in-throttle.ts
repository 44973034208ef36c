import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { createKeyedDigest, type Source, sourceOf } from './address.ts'
import { createFairLimiter, type Turn } from './fair-limiter.ts'
import { createBoundedCache, createVerifiedPasswordCache, isPasswordRight, type PasswordHasher, type Remembered } from './password.ts'
import { addFailure, deleteFailures, deleteFailuresBefore, readStanding, rememberNetwork, type Standing } from './throttle-store.ts'

/** Wrong passwords for one name from one address, for all names from one address, and for one name from all addresses. */
const PAIR_FAILURES_MAX = 10
const ADDRESS_FAILURES_MAX = 100
const ACCOUNT_FAILURES_MAX = 100
/** Attempts of one address, without a success in between, after which it waits with the others that fail. */
const UNRESOLVED_MAX = 3
const UNRESOLVED_ADDRESSES_MAX = 10_000
/** Failures are forgotten this long after the last one. */
const THROTTLE_WINDOW_MS = 15 * 60_000
/** The longest window of `code-tries.ts`. */
const CODES_KEPT_MS = 24 * 60 * 60_000
/** At most one password is checked in this time, in each process, once the limit of the name and address, address or account is reached. */
const SPACING_MS: Spacing = { pair: 1_000, address: 250, account: 1_000 }
/** Retry-After for a caller whose password was not checked. */
const NOT_CHECKED_RETRY_MS = 1_000
/** How long a network from which a name signed in is known. */
const NETWORK_KNOWN_MS = 90 * 24 * 3_600_000
/** How many attempts with one name and password from one address share one computation. */
const SHARED_MAX = 64

export type SignInFailure = { kind: 'wrong_credentials' } | { kind: 'throttled'; retryAfterMs: number }

type SignInAttempt<Account> = {
  /** Keeps partners' user names and people's e-mail addresses apart. */
  scope: 'api' | 'person'
  name: string
  address: string
  password: string
  /** Set where the attempt comes from a browser in which this name signed in before, or is signed in now. */
  device?: string | undefined
  /** Reads the account of this name; undefined if there is none. Called when the attempt has its turn. */
  find(): Promise<Account | undefined>
  /**
   * Called in the background for the 1st, 2nd, 4th, 8th … consecutive wrong password of an existing account: few enough for a
   * record that is never shortened. `failures` counts those of all addresses.
   */
  onWrong?(account: Account, failures: number): Promise<void>
}

/** Checks passwords at a bounded cost. One per process. DECISIONS.md lists the guarantees. */
export type SignInThrottle = {
  /**
   * Returns the account when `password` is right. `wrong_credentials`: it was checked and is wrong, or there is no such
   * name. `throttled`: wrong, and beyond a limit; or not checked, because this address, this account or the whole process
   * has more sign-ins waiting than are queued.
   */
  check<Account extends Stored>(attempt: SignInAttempt<Account>): Promise<Result<Account, SignInFailure>>
}

export type SignInThrottleOptions = {
  pool: Queryable
  clock: Clock
  /** Keys the digests of names and networks in the database: the same in every process. */
  secret: string
  /** Default: the hasher of this process. */
  hasher?: Pick<PasswordHasher, 'isPasswordRight'>
  /** Default: see SPACING_MS. */
  spacingMs?: Spacing
}

type Spacing = { pair: number; address: number; account: number }

/**
 * Makes the throttle. Failures are counted in the database for all processes; queues and pace are kept per process.
 * Two argon2 computations run at once (18 MiB), and at most 512 attempts wait in each queue.
 */
export function createSignInThrottle(options: SignInThrottleOptions): SignInThrottle {
  const { pool, clock, secret, hasher = { isPasswordRight }, spacingMs = SPACING_MS } = options
  const remembered = createVerifiedPasswordCache(clock)
  const keyed = createKeyedDigest(secret)
  const background = createBackgroundWork()
  const unresolved = createUnresolved(clock)
  const { lookUps, recognised, hashes } = createLimiters()
  const comparisons = new Map<string, { verdict: Promise<Verdict>; attempts: number }>()
  const since = (): Date => new Date(clock.now().getTime() - THROTTLE_WINDOW_MS)

  /** Many workers of one program sign in at once with one password, and so do floods: that is one computation and one failure. */
  async function judge<Account extends Stored>(found: Found<Account>): Promise<Verdict> {
    const { attempt, place, account } = found
    const key = keyed('comparison', ...place.path, attempt.password, account?.passwordHash ?? '').toString('base64')
    const started = comparisons.get(key)
    if (started) return ++started.attempts > SHARED_MAX ? NOT_CHECKED : started.verdict
    const verdict = compare(found).finally(() => comparisons.delete(key))
    comparisons.set(key, { verdict, attempts: 1 })
    return verdict
  }

  async function compare<Account extends Stored>({ attempt, place, account, standing, memory }: Found<Account>): Promise<Verdict> {
    // A flood from hundreds of addresses must not put everybody else behind hundreds of turns: theirs are shared among them.
    const group =
      (standing.failures.get(place.addressKey) ?? 0) >= UNRESOLVED_MAX || unresolved.isMany(place.from) ? 'failed lately' : 'clean'
    const turn = { isReserved: place.isTrusted, path: [group, ...place.path], paces: pacesOf(place, standing.failures, spacingMs) }
    const isRight = await hashes.run(turn, () => hasher.isPasswordRight(account?.passwordHash, attempt.password))
    if (isRight === undefined) return NOT_CHECKED
    if (!isRight || !account) return refuseWrong(attempt, place, account)
    unresolved.forget(place.from)
    memory?.remember(account.passwordHash)
    if (standing.failures.has(place.pairKey)) await deleteFailures(pool, place.pairKey)
    await rememberNetwork(pool, place, clock.now())
    return 'right'
  }

  async function refuseWrong<Account>(attempt: SignInAttempt<Account>, place: Place, account: Account | undefined): Promise<SignInFailure> {
    const { pairKey, addressKey, accountKey, isTrusted } = place
    const [pair = 1, address = 1, all = 1] = await addFailure(pool, [pairKey, addressKey, accountKey], clock.now(), since())
    if (account && attempt.onWrong && Number.isInteger(Math.log2(all))) background.add(() => attempt.onWrong?.(account, all))
    const excess = Math.max(pair - PAIR_FAILURES_MAX, isTrusted ? 0 : Math.max(address - ADDRESS_FAILURES_MAX, all - ACCOUNT_FAILURES_MAX))
    return excess > 0 ? { kind: 'throttled', retryAfterMs: retryAfterMs(excess) } : { kind: 'wrong_credentials' }
  }

  return {
    async check(attempt) {
      const memory = attempt.scope === 'api' ? remembered(attempt.name, attempt.password) : undefined
      if (memory?.hash !== undefined) {
        const account = await recognised.run({ isReserved: false, path: [attempt.name], paces: [] }, attempt.find)
        if (account?.passwordHash === memory.hash) return ok(account)
      }
      const source = sourceOf(attempt, keyed)
      unresolved.add(source.from)
      const found = await lookUps.run({ isReserved: source.isDevice, path: source.path, paces: [] }, async () => ({
        account: await attempt.find(),
        standing: await readStanding(pool, source, since(), new Date(clock.now().getTime() - NETWORK_KNOWN_MS)),
      }))
      if (!found) return err(NOT_CHECKED)
      const place = { ...source, isTrusted: source.isDevice || found.standing.isKnownNetwork }
      const verdict = await judge({ ...found, attempt, place, memory })
      if (verdict !== 'right') return err(verdict)
      if (!found.account) throw new Error('A password was correct for an account that does not exist')
      return ok(found.account)
    },
  }
}

function createLimiters() {
  return {
    /** A flood is refused here, at the cost of a look-up in memory, before any database query. */
    lookUps: createFairLimiter({ concurrency: 4, levelMax: [512, 256, 128, 64] }),
    /** Only those come here whose password was right within the hour: it bounds the connections in use, not the attempts. */
    recognised: createFairLimiter({ concurrency: 2, levelMax: [10_000] }),
    /** The levels: all that wait, addresses that failed lately and those that did not, networks, addresses, names. */
    hashes: createFairLimiter({ concurrency: 2, levelMax: [256, 192, 64, 16, 8] }),
  }
}

type Stored = { passwordHash: string }
type Place = Source & { isTrusted: boolean }
type Verdict = 'right' | SignInFailure
type Found<Account> = {
  attempt: SignInAttempt<Account>
  place: Place
  account: Account | undefined
  standing: Standing
  memory: Remembered | undefined
}

const NOT_CHECKED: SignInFailure = { kind: 'throttled', retryAfterMs: NOT_CHECKED_RETRY_MS }

/** Removes counts and networks that no longer matter. For the scheduled cleaning; returns how many. */
export async function pruneSignInThrottles(queryable: Queryable, now: Date): Promise<number> {
  const ago = (ms: number): Date => new Date(now.getTime() - ms)
  return deleteFailuresBefore(queryable, ago(THROTTLE_WINDOW_MS), ago(CODES_KEPT_MS), ago(NETWORK_KNOWN_MS))
}

/** Limits that count other people's guesses do not slow down a place that is known: only its own guesses do. */
function pacesOf(place: Place, failures: ReadonlyMap<string, number>, spacingMs: Spacing): Turn['paces'] {
  const { pairKey, addressKey, accountKey, isTrusted } = place
  const limits = [
    { key: pairKey, failuresMax: PAIR_FAILURES_MAX, spacingMs: spacingMs.pair },
    { key: addressKey, failuresMax: isTrusted ? Infinity : ADDRESS_FAILURES_MAX, spacingMs: spacingMs.address },
    { key: accountKey, failuresMax: isTrusted ? Infinity : ACCOUNT_FAILURES_MAX, spacingMs: spacingMs.account },
  ]
  return limits.filter(({ key, failuresMax }) => (failures.get(key) ?? 0) >= failuresMax)
}

/** Counts the attempts of an address since its last success, whether they were checked or not: a flood shows before its hashes are computed. */
function createUnresolved(clock: Clock): { add(address: string): void; isMany(address: string): boolean; forget(address: string): void } {
  const counts = createBoundedCache<string, { attempts: number; untilMs: number }>(UNRESOLVED_ADDRESSES_MAX)
  const countOf = (address: string): number => {
    const known = counts.get(address)
    return known && known.untilMs > clock.now().getTime() ? known.attempts : 0
  }
  return {
    add: (address) => counts.set(address, { attempts: countOf(address) + 1, untilMs: clock.now().getTime() + THROTTLE_WINDOW_MS }),
    isMany: (address) => countOf(address) > UNRESOLVED_MAX,
    forget: (address) => counts.delete(address),
  }
}

/** Advice to a program that retries without thinking: doubles from two seconds to a minute. */
function retryAfterMs(excess: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(excess, 6))
}

const WAITING_MAX = 1_000

/** Runs work one piece after the other, without a caller that waits: response times must not reveal that it was done. */
type BackgroundWork = { add(work: () => Promise<void> | undefined): void }

/** Makes an empty queue. Work that failed is reported, and so is work that was dropped because 1,000 pieces wait. */
function createBackgroundWork(): BackgroundWork {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    add(work) {
      if (waiting >= WAITING_MAX) return reportUnexpected('credentials: background', new Error('Too much work waits in the background'))
      waiting++
      last = last
        .then(work)
        .catch((error: unknown) => reportUnexpected('credentials: background', error))
        .finally(() => waiting--)
    },
  }
}
