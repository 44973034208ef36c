import { err, ok, type Result } from '#lib/result.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { generatePassword } from '#server/credentials/secrets.ts'
import type { SignInFailure, SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { deletePasskeys } from '../passkeys/passkey-store.ts'
import { deletePasswordReset, findPassword, findPersonByEmail, updatePerson } from '../person-store.ts'
import { recordFailedSignIn, recordPersonAct } from './sessions.ts'

type SignedInPerson = { personId: string; sessionEpoch: number; hasCodes: boolean }

/**
 * The first step of a person's sign-in. An unknown address and a wrong password get the same answer at the same price;
 * `device` is set if the browser is known (see known-device.ts). If `hasCodes`, the session begins only after
 * `verifySecondFactor`. `person_blocked` is returned only for the correct password.
 */
export async function verifyPersonPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  request: { email: string; password: string; peerAddress: string; device?: string | undefined },
): Promise<Result<SignedInPerson, SignInFailure | { kind: 'person_blocked' }>> {
  const email = request.email.trim().toLowerCase()
  const checked = await deps.throttle.check({
    scope: 'person',
    name: email,
    address: request.peerAddress,
    password: request.password,
    device: request.device,
    // PostgreSQL cannot store a NUL, so there is no such address.
    find: async () => (email.includes('\0') ? undefined : findPersonByEmail(deps.pool, email)),
    onWrong: ({ personId }, failures) => recordFailedSignIn(deps.pool, { personId, address: request.peerAddress, failures }),
  })
  if (!checked.ok) return checked
  const { personId, sessionEpoch, hasCodes, isBlocked } = checked.value
  return isBlocked ? err({ kind: 'person_blocked' }) : ok({ personId, sessionEpoch, hasCodes })
}

/** Checks the password of a person who is signed in. Required before the password or the second factor changes. */
export async function verifyOwnPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  request: { personId: string; password: string; peerAddress: string },
): Promise<Result<void, SignInFailure | { kind: 'unknown_person' }>> {
  const { personId } = request
  const person = await findPassword(deps.pool, personId)
  if (!person) return err({ kind: 'unknown_person' })
  const checked = await deps.throttle.check({
    scope: 'person',
    name: person.email,
    address: request.peerAddress,
    password: request.password,
    // Signed in already: floods from elsewhere do not count here, only this person's own guesses do.
    device: personId,
    find: async () => person,
    onWrong: (_, failures) => recordFailedSignIn(deps.pool, { personId, address: request.peerAddress, failures }),
  })
  return checked.ok ? ok(undefined) : checked
}

type ChangeOwnPassword = { personId: string; currentPassword: string; newPassword: string; peerAddress: string }

/**
 * A person sets a new password, proving they know the present one (throttled like a sign-in). All their sessions end, this
 * one included. Returns the epoch under which a new one may begin.
 */
export async function changeOwnPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  command: ChangeOwnPassword,
): Promise<Result<{ sessionEpoch: number }, SignInFailure | { kind: PasswordProblem } | { kind: 'unknown_person' }>> {
  const { personId, newPassword } = command
  const person = await findPassword(deps.pool, personId)
  if (!person) return err({ kind: 'unknown_person' })
  const problem = await findPasswordProblem(newPassword, person)
  if (problem) return err({ kind: problem })
  const checked = await verifyOwnPassword(deps, { personId, password: command.currentPassword, peerAddress: command.peerAddress })
  if (!checked.ok) return checked
  const passwordHash = await hashPassword(newPassword)
  return withTransaction<{ sessionEpoch: number }, { kind: 'unknown_person' }>(deps.pool, async (trx) => {
    const sessionEpoch = await updatePerson(trx, personId, { passwordHash, endsSessions: true })
    if (sessionEpoch === undefined) return err({ kind: 'unknown_person' })
    await recordPersonAct(trx, { personId, action: 'person.password_changed', isAccountChange: true })
    return ok({ sessionEpoch })
  })
}

/** Sets a new random password, returned only once, removes the person's passkeys and ends their sessions. Reserved for the machine administrator. */
export async function resetPersonPassword(
  pool: Pool,
  command: { personId: string; actor: CommandActor },
): Promise<Result<{ password: string }, 'not_permitted' | 'unknown_person'>> {
  const { personId, actor } = command
  if (actor.kind !== 'system') return err('not_permitted')
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  return withTransaction(pool, async (trx) => {
    if ((await updatePerson(trx, personId, { passwordHash, endsSessions: true })) === undefined) return err('unknown_person')
    await deletePasswordReset(trx, personId)
    // One that a stranger added would outlive the password that they knew.
    await deletePasskeys(trx, personId)
    await recordPersonAct(trx, { personId, actor, action: 'person.password_reset', isAccountChange: true })
    return ok({ password })
  })
}

/** Length is the main strength of a password; rules about its characters are not. */
const LENGTH_MIN = 12
const LENGTH_MAX = 1_024
/** Estimating takes time that grows with the length; a password that is strong this far is strong. */
const ESTIMATED_LENGTH_MAX = 64
/** "Safely unguessable" where hashing is slow: more than 100 million guesses. */
const SCORE_MIN = 3
/** Shorter parts of a name are in too many good passwords. */
const WORD_LENGTH_MIN = 3
const PRODUCT_NAME = 'countersign'

/** Why a person may not choose a password. */
export type PasswordProblem = 'password_too_short' | 'password_too_common'

/** The person who chooses the password. Facts that colleagues know about them do not count towards its strength. */
type PasswordOwner = { email: string; name: string }

/**
 * Returns why a password is refused, or undefined. Refused are passwords that are too short or too long, those that a program guesses early
 * (the most common ones, also with digits added or letters replaced, sequences, repetitions and keyboard rows), and those of which little
 * is left without the person's name, e-mail address and the name of the product.
 */
export async function findPasswordProblem(password: string, owner: PasswordOwner): Promise<PasswordProblem | undefined> {
  if (password.length < LENGTH_MIN || password.length > LENGTH_MAX) return 'password_too_short'
  const rest = withoutWords(password.slice(0, ESTIMATED_LENGTH_MAX), wordsOf(owner))
  const estimate = await loadEstimate()
  return estimate(rest) < SCORE_MIN ? 'password_too_common' : undefined
}

function wordsOf({ email, name }: PasswordOwner): string[] {
  const words = [email, ...email.split(/[^\p{L}\p{N}]+/u), name, ...name.split(/[^\p{L}\p{N}]+/u), PRODUCT_NAME]
  const unique = new Set(words.map((word) => word.toLowerCase()).filter((word) => word.length >= WORD_LENGTH_MIN))
  // The longest first, so that no part of an address stays when the whole of it is there.
  return [...unique].sort((one, other) => other.length - one.length)
}

function withoutWords(password: string, words: readonly string[]): string {
  let rest = password.toLowerCase()
  for (const word of words) rest = rest.replaceAll(word, '')
  return rest
}

let estimating: Promise<(password: string) => number> | undefined

/** The dictionaries take 8 MB, and few processes ever set a password: they are loaded with the first one. */
function loadEstimate(): Promise<(password: string) => number> {
  estimating ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(
    ([{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }]) => {
      const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
      return (password) => estimator.check(password).score
    },
  )
  return estimating
}
