import { ok } from '#lib/result.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { forgiveTries, takeTry } from '#server/credentials/code-tries.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updatePerson } from '../person-store.ts'
import { noteGuessedCodes } from './second-factor-store.ts'
import { recordPersonAct } from './sessions.ts'

/** Wrong tries of a place before every further one has to wait: six digits are few, so here even a right one waits. */
const FAILURES_MAX = 5
/** How long it then waits, in milliseconds. */
export const WAIT_MS = 30_000
const COUNTED_ONLY = 2 ** 31 - 1
/** After each of this many wrong tries in a row the password is required again. */
const GUESSES_MAX = 20
/** Counts are kept this long after the last wrong try, so that slow guessing is counted as well. */
const WINDOW_MS = 24 * 60 * 60_000

/** A browser in which the person signed in with a code before, or the network of one that is not known. */
export type SignInPlace = { device: string } | { network: string }

/** Sign-ins and everything that a signed-in person confirms count their wrong tries separately: neither keeps the other from working. */
export type FactorPurpose = { purpose: 'sign_in'; place: SignInPlace } | { purpose: 'confirmation' }
type TryOf = { personId: string } & FactorPurpose

/**
 * Takes a try at a person's second factor, counted as wrong until `forgiveFactorTries` is called. Returns how many there have been since the last
 * right one; undefined when it has to wait `WAIT_MS`: after five, only one is allowed in that time, right or wrong. At sign-ins, each known device
 * and each network has five of its own, so that they do not keep the owner out.
 */
export async function takeFactorTry(pool: Pool, command: TryOf, now: Date): Promise<number | undefined> {
  const keys = keysOf(command)
  if (command.purpose === 'sign_in') return takeSignInTry(pool, keys, command.place, now)
  return takeTry(pool, keys.person, now, { failuresMax: FAILURES_MAX, waitMs: WAIT_MS, windowMs: WINDOW_MS })
}

/** The second factor was right: the tries before it are forgotten. */
export async function forgiveFactorTries(pool: Pool, command: TryOf): Promise<void> {
  const keys = keysOf(command)
  await Promise.all([keys.person, keys.place].map((key) => forgiveTries(pool, key)))
}

type WrongTry = { personId: string; purpose: FactorPurpose['purpose']; tries: number; triedWith?: 'passkey' }

/**
 * Deals with a wrong try, the `tries`th in a row. The 1st, 2nd, 4th, 8th … and each twentieth are recorded, so that guessing cannot fill the
 * record. Returns whether it was a twentieth: the person is told then, and their sessions end if it came from one of them.
 */
export async function noteWrongFactor(pool: Pool, { personId, purpose, tries, triedWith }: WrongTry): Promise<{ isTooMany: boolean }> {
  const isTooMany = tries % GUESSES_MAX === 0
  if (!isTooMany && !Number.isInteger(Math.log2(tries))) return { isTooMany }
  await withTransaction(pool, async (trx) => {
    const action = 'person.second_factor_failed'
    if (isTooMany) await noteGuessedCodes(trx, personId)
    // The tries came from a session: its holder does not have the device.
    if (isTooMany && purpose === 'confirmation') await updatePerson(trx, personId, { endsSessions: true })
    const details = { failures: tries, ...(triedWith && { triedWith }) }
    await recordPersonAct(trx, { personId, actor: SYSTEM_ACTOR, action, details, isAccountChange: false })
    return ok(undefined)
  })
  return { isTooMany }
}

type Keys = { person: string; place: string }

function keysOf(command: TryOf): Keys {
  const person = `second factor ${command.purpose} ${command.personId}`
  const place = command.purpose === 'sign_in' ? JSON.stringify(command.place) : ''
  return { person: digest(person).toString('hex'), place: digest(`${person} ${place}`).toString('hex') }
}

/**
 * Takes a try at a sign-in, counted for the person whatever the place. Every place has five. After them a known device waits 30 s each time, for
 * itself; all other networks share one try per 30 s, so that many of them are not many times faster, and none of them uses up the five of another.
 * Returns how many tries of the person there have been since the last right one; undefined when it has to wait.
 */
async function takeSignInTry(pool: Pool, keys: Keys, place: SignInPlace, now: Date): Promise<number | undefined> {
  const isKnown = 'device' in place
  const own = { failuresMax: FAILURES_MAX, waitMs: isKnown ? WAIT_MS : WINDOW_MS, windowMs: WINDOW_MS }
  const hasOwn = (await takeTry(pool, keys.place, now, own)) !== undefined
  if (!hasOwn && isKnown) return undefined
  const all = { failuresMax: hasOwn ? COUNTED_ONLY : 0, waitMs: WAIT_MS, windowMs: WINDOW_MS }
  return takeTry(pool, keys.person, now, all)
}
