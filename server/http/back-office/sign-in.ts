import { create as createQrCode } from 'qrcode'
import { z } from 'zod'
import type { QrCode } from '#lib/qr-code.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { confirmSecondFactor } from '#server/identity/confirm-second-factor.ts'
import { startSecondFactor } from '#server/identity/start-second-factor.ts'
import { verifyPersonPassword } from '#server/identity/verify-person-password.ts'
import { verifySecondFactor } from '#server/identity/verify-second-factor.ts'
import { currentPeerAddress } from '../peer-context.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { currentPerson } from './current-person.ts'
import { readHalfSession, startHalfSession, startSession } from './session.ts'

const credentialsSchema = z.object({ email: z.string().trim().min(1).max(320), password: z.string().min(1).max(1_024) })
const codeSchema = z.string().trim().min(6).max(64)

export type PasswordOutcome =
  | { kind: 'signed_in'; personId: string; epoch: number }
  | { kind: 'code_needed'; personId: string; epoch: number }
  | { kind: 'wrong' }
  | { kind: 'blocked' }
  | { kind: 'throttled'; minutes: number }

/** Where a person's request comes from, for counting failed attempts; one bucket for all where nobody can tell. */
export function peerAddress(): string {
  return currentPeerAddress() ?? '0.0.0.0'
}

/** Checks e-mail and password and says what comes next. Sets nothing: the caller starts the session. */
export async function checkPassword(input: unknown): Promise<PasswordOutcome> {
  const credentials = credentialsSchema.safeParse(input)
  if (!credentials.success) return { kind: 'wrong' }
  const { pool, throttle } = backOfficeRuntime()
  const verified = await verifyPersonPassword({ pool, throttle }, { ...credentials.data, peerAddress: peerAddress() })
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
  const { personId, sessionEpoch, hasSecondFactor } = verified.value
  return { kind: hasSecondFactor ? 'code_needed' : 'signed_in', personId, epoch: sessionEpoch }
}

/** The first step on the sign-in page: a whole session, or the half one that asks for a code. For server actions only. */
export async function signInWithPassword(input: unknown): Promise<PasswordOutcome> {
  const outcome = await checkPassword(input)
  if (outcome.kind === 'signed_in') await startSession(outcome)
  if (outcome.kind === 'code_needed') await startHalfSession(outcome)
  return outcome
}

export type CodeFailure = { kind: 'wrong' } | { kind: 'expired' } | { kind: 'throttled'; minutes: number }

/** Whether a person's one-time or recovery code is right. */
export async function checkCode(personId: string, code: unknown): Promise<Result<void, CodeFailure>> {
  const parsed = codeSchema.safeParse(code)
  if (!parsed.success) return err({ kind: 'wrong' })
  const verified = await verifySecondFactor(backOfficeRuntime(), { personId, code: parsed.data, allowsRecovery: true })
  if (verified.ok) return ok(undefined)
  return err(
    verified.error.kind === 'throttled' ? { kind: 'throttled', minutes: toMinutes(verified.error.retryAfterMs) } : { kind: 'wrong' },
  )
}

/** The second step: the code of whoever has just given the right password. For server actions only. */
export async function signInWithCode(code: unknown): Promise<Result<void, CodeFailure>> {
  const half = await readHalfSession()
  if (!half) return err({ kind: 'expired' })
  const checked = await checkCode(half.personId, code)
  if (checked.ok) await startSession(half)
  return checked
}

export type Enrolment = { secret: string; qrCode: QrCode }

/** Begins a second factor for whoever is signed in: the key in groups of four, and the QR code, computed here so that no library reaches the browser. */
export async function beginEnrolment(personId: string): Promise<Result<Enrolment, 'unknown_person' | 'already_enabled'>> {
  const started = await startSecondFactor(backOfficeRuntime().pool, { personId })
  if (!started.ok) return started
  return ok({ secret: started.value.secret.replace(/(.{4})(?=.)/g, '$1 '), qrCode: drawQrCode(started.value.url) })
}

/** Ends the enrolment with a code from the person's device; gives the recovery codes this once. */
export async function finishEnrolment(
  code: unknown,
): Promise<Result<{ recoveryCodes: string[] }, 'unauthenticated' | 'not_started' | 'already_enabled' | 'wrong_code'>> {
  const person = await currentPerson()
  if (!person) return err('unauthenticated')
  const parsed = codeSchema.safeParse(code)
  if (!parsed.success) return err('wrong_code')
  return confirmSecondFactor(backOfficeRuntime(), { personId: person.personId, code: parsed.data })
}

function drawQrCode(text: string): QrCode {
  const { modules } = createQrCode(text, { errorCorrectionLevel: 'M' })
  let path = ''
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) if (modules.get(row, column)) path += `M${column} ${row}h1v1h-1z`
  }
  return { size: modules.size, path }
}

function toMinutes(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 60_000))
}
