import { z } from 'zod'
import type { Invitation, InvitationRefusal, QrCode } from '#lib/people/sign-in.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isCleanInput } from '#lib/text/clean-text.ts'
import { throttleAddress, throttleNetwork } from '#server/credentials/address.ts'
import { drawQrCode } from '#server/http/pay/pay-document.ts'
import { currentPeerAddress } from '#server/http/request/request-facts.ts'
import { acceptInvitation, answerOwnInvitation, findInvitation } from '#server/people/invitations.ts'
import { choosePassword, findPasswordReset } from '#server/people/sign-in/password-resets.ts'
import { verifyPersonPassword } from '#server/people/sign-in/passwords.ts'
import { type ConfirmFailure, confirmSecondFactor, startSecondFactor, verifySecondFactor } from '#server/people/sign-in/second-factor.ts'
import { bumpSessionEpoch, endSession, findSignedIn, recordSignIn, type SignInFactor } from '#server/people/sign-in/sessions.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import { backOfficeRuntime } from '../back-office-runtime.ts'
import { currentPerson, currentSource } from '../current-person.ts'
import {
  beganWithPasskey,
  continueSession,
  forgetSession,
  markDevice,
  readDevice,
  readPendingSecondFactorSession,
  readSession,
  startPendingSecondFactorSession,
  startSession,
} from './session.ts'
import type { Session } from './session-token.ts'

const passwordSchema = z.string().min(1).max(1_024)
const credentialsSchema = z.object({ email: z.string().trim().min(1).max(320), password: passwordSchema })
const codeSchema = z.string().trim().min(6).max(64)

type PasswordOutcome =
  | { kind: 'signed_in' | 'code_needed'; personId: string; epoch: number; email: string }
  | { kind: 'wrong' }
  | { kind: 'blocked' }
  | { kind: 'throttled'; minutes: number }

/** The address of a person's request, for counting failed attempts; one bucket for all unknown addresses. */
export function peerAddress(): string {
  return currentPeerAddress() ?? '0.0.0.0'
}

/** Checks e-mail and password and says what comes next. Sets nothing: the caller starts the session. */
export async function checkPassword(input: unknown): Promise<PasswordOutcome> {
  const credentials = credentialsSchema.safeParse(input)
  if (!credentials.success) return { kind: 'wrong' }
  const { pool, throttle } = backOfficeRuntime()
  const device = await readDevice(credentials.data.email)
  const verified = await verifyPersonPassword({ pool, throttle }, { ...credentials.data, peerAddress: peerAddress(), device })
  if (!verified.ok) {
    switch (verified.error.kind) {
      case 'throttled':
        return { kind: 'throttled', minutes: toMinutes(verified.error.retryAfterMs) }
      case 'person_blocked':
        return { kind: 'blocked' }
      case 'wrong_credentials':
        return { kind: 'wrong' }
    }
  }
  const { personId, sessionEpoch, hasCodes } = verified.value
  return { kind: hasCodes ? 'code_needed' : 'signed_in', personId, epoch: sessionEpoch, email: credentials.data.email }
}

/** The first step on the sign-in page: a whole session, or a pending one that requires a one-time code. For server actions only. */
export async function signInWithPassword(input: unknown): Promise<PasswordOutcome> {
  const outcome = await checkPassword(input)
  if (outcome.kind !== 'signed_in' && outcome.kind !== 'code_needed') return outcome
  if (outcome.kind === 'code_needed') await startPendingSecondFactorSession(outcome)
  else {
    await markDevice(outcome.email)
    await beginSession(outcome, 'password')
  }
  return outcome
}

type CodeFailure = { kind: 'wrong' | 'expired' | 'too_many' } | { kind: 'throttled'; minutes: number }

/** Whether a person's one-time or recovery code is right, and which of them it was. */
export async function checkCode(
  { personId, email }: { personId: string; email: string },
  code: unknown,
): Promise<Result<{ factor: SignInFactor }, CodeFailure>> {
  const parsed = codeSchema.safeParse(code)
  if (!parsed.success) return err({ kind: 'wrong' })
  const device = await readDevice(email)
  const place = device === undefined ? { network: throttleNetwork(peerAddress()) } : { device }
  const command = { personId, code: parsed.data, allowsRecovery: true, purpose: 'sign_in', place } as const
  const verified = await verifySecondFactor(backOfficeRuntime(), command)
  if (verified.ok) return ok({ factor: verified.value.usedRecoveryCode ? 'recovery_code' : 'one_time_code' })
  if (verified.error.kind === 'throttled') return err({ kind: 'throttled', minutes: toMinutes(verified.error.retryAfterMs) })
  return err({ kind: verified.error.kind === 'too_many' ? 'too_many' : 'wrong' })
}

/** The second step: the code of a person who has just entered the right password. For server actions only. */
export async function signInWithCode(code: unknown): Promise<Result<void, CodeFailure>> {
  const pending = await readPendingSecondFactorSession()
  // Blocked, or a new password, since the first step: the code must not even be tried.
  const { pool, clock } = backOfficeRuntime()
  const person = pending && (await findSignedIn(pool, pending, clock.now()))
  if (!person) return err({ kind: 'expired' })
  const checked = await checkCode(person, code)
  if (!checked.ok) {
    // The password has to be entered again, in every browser that holds a copy of this step.
    if (checked.error.kind === 'too_many') await endOnServer(pending)
    return checked
  }
  // Only now: a browser in which somebody knew the password alone is no place of this person.
  await markDevice(person.email)
  await beginSession(pending, pending.usedProvider ? 'single_sign_on_code' : checked.value.factor)
  return ok(undefined)
}

/** Records that a person signed in, from where and with what. */
export async function noteSignIn(personId: string, factor: SignInFactor): Promise<void> {
  await recordSignIn(backOfficeRuntime().pool, { personId, address: peerAddress(), factor })
}

/** Starts a new session for this browser. The one that its cookie held ends, because nobody could sign out of it later. For server actions only. */
export async function beginSession({ personId, epoch }: { personId: string; epoch: number }, factor: SignInFactor): Promise<void> {
  const replaced = await readSession()
  if (replaced) await endOnServer(replaced)
  await noteSignIn(personId, factor)
  await startSession({ personId, epoch, usedPasskey: factor === 'passkey' })
}

/** `url`: opens the authenticator app of the same device, which cannot scan its own screen. */
export type Enrolment = { secret: string; url: string; qrCode: QrCode }

/**
 * Begins a second factor for the signed-in person: the key in groups of four, its address and the QR code, computed here so that no library reaches the
 * browser.
 */
export async function beginEnrolment(personId: string): Promise<Result<Enrolment, 'unknown_person' | 'already_enabled'>> {
  const started = await startSecondFactor(backOfficeRuntime().pool, { personId })
  if (!started.ok) return started
  const { secret, url } = started.value
  return ok({ secret: secret.replace(/(.{4})(?=.)/g, '$1 '), url, qrCode: drawQrCode(url) })
}

/**
 * Ends the enrolment with the password and a code from the person's device; returns the recovery codes this once. Every
 * other session ends, this browser goes on. For server actions only.
 */
export async function finishEnrolment(
  personId: string,
  given: { password: unknown; code: unknown },
): Promise<Result<{ recoveryCodes: string[] }, ConfirmFailure>> {
  const password = passwordSchema.safeParse(given.password)
  if (!password.success) return err('wrong_password')
  const code = codeSchema.safeParse(given.code)
  if (!code.success) return err('wrong_code')
  const usedPasskey = await beganWithPasskey()
  const command = { personId, password: password.data, code: code.data, peerAddress: peerAddress(), usedPasskey }
  const confirmed = await confirmSecondFactor(backOfficeRuntime(), command)
  if (!confirmed.ok) return confirmed
  await continueSession(confirmed.value.sessionEpoch)
  return ok({ recoveryCodes: confirmed.value.recoveryCodes })
}

function toMinutes(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 60_000))
}

/** Ends the session of this browser on the server and in the browser. For server actions only. */
export async function signOutHere(): Promise<void> {
  const session = await readSession()
  if (session) await endOnServer(session)
  await forgetSession()
}

/** Ends every session of the person who is signed in, this one included. For server actions only. */
export async function endAllSessions(): Promise<void> {
  const person = await currentPerson()
  if (person)
    await bumpSessionEpoch(backOfficeRuntime().pool, { personId: person.personId, actor: { kind: 'person', id: person.personId } })
  await forgetSession()
}

/** Ends one session in every process, wherever its cookie is. */
export async function endOnServer(session: Session): Promise<void> {
  await endSession(backOfficeRuntime().pool, { ...session, address: currentPeerAddress() ?? 'unknown' })
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** How often each address may still try a link. */
    invitationLimit: RateLimit
  }
}

/** A token cannot be guessed; what is limited is the work that anybody can cause. */
const BURST = 20
const PER_SECOND = 1 / 6

const tokenSchema = z.object({ token: z.string().min(1).max(200) })
const acceptanceSchema = tokenSchema.extend({ name: z.string().max(200), password: z.string().max(1_024), wantsSecondFactor: z.boolean() })
const choiceSchema = tokenSchema.extend({ password: z.string().max(1_024) })
const answerSchema = z.object({ invitationId: z.uuid(), accepts: z.boolean() })

function isThrottled(): boolean {
  const limit = processWide('invitationLimit', () =>
    createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }),
  )
  return limit.take(throttleAddress(peerAddress())).retryAfterMs !== undefined
}

/** Returns the invitation that a link belongs to. */
export async function readInvitation(input: unknown): Promise<Result<Invitation, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? tokenSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('unknown')
  if (isThrottled()) return err('throttled')
  const found = await findInvitation(backOfficeRuntime().pool, parsed.data.token, { locks: false })
  if (!found.ok) return found
  const { applicationName, email, name, isKnown, requiresSecondFactor } = found.value
  return ok({ applicationName, email, name: isKnown ? '' : name, isKnown, requiresSecondFactor })
}

/**
 * Uses the link of an invitation, and signs the new person in: they have just chosen the password. Their code is on the page that follows. For
 * server actions only.
 */
export async function joinWithInvitation(input: unknown): Promise<Result<{ setsUpSecondFactor: boolean }, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? acceptanceSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('invalid')
  if (isThrottled()) return err('throttled')
  const accepted = await acceptInvitation(backOfficeRuntime().pool, { ...parsed.data, source: await currentSource() })
  if (!accepted.ok) return accepted
  const { personId, email, requiresSecondFactor } = accepted.value
  await markDevice(email)
  await beginSession({ personId, epoch: 1 }, 'password')
  return ok({ setsUpSecondFactor: requiresSecondFactor || parsed.data.wantsSecondFactor })
}

/** Returns the address of the person whose new password a link is for. */
export async function readPasswordLink(input: unknown): Promise<Result<{ email: string }, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? tokenSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('unknown')
  if (isThrottled()) return err('throttled')
  const found = await findPasswordReset(backOfficeRuntime().pool, parsed.data.token)
  return found.ok ? ok({ email: found.value.email }) : found
}

/** Sets the password that a person chose with a link. Signs nobody in. For server actions only. */
export async function choosePasswordWithLink(input: unknown): Promise<Result<void, InvitationRefusal>> {
  const parsed = isCleanInput(input) ? choiceSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('invalid')
  if (isThrottled()) return err('throttled')
  return choosePassword(backOfficeRuntime().pool, parsed.data)
}

/** Accepts or declines an invitation of the person who is signed in. For server actions only. */
export async function answerInvitationOfPerson(input: unknown): Promise<Result<void, 'unauthenticated' | 'not_found'>> {
  const person = await currentPerson()
  if (!person) return err('unauthenticated')
  const parsed = isCleanInput(input) ? answerSchema.safeParse(input) : undefined
  if (!parsed?.success) return err('not_found')
  const { pool } = backOfficeRuntime()
  return answerOwnInvitation(pool, { ...parsed.data, personId: person.personId, source: await currentSource() })
}
