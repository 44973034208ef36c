import { createHash, randomBytes } from 'node:crypto'
import { cookies } from 'next/headers'
import { createDeviceMarks, DEVICE_MARK_S, type DeviceMarks } from '#server/credentials/address.ts'
import { backOfficeRuntime } from '../back-office-runtime.ts'
import {
  type CookieKind,
  cookieName,
  newSession,
  openSession,
  PENDING_SECOND_FACTOR_S,
  SESSION_S,
  type Session,
  type SessionKind,
  sealSession,
} from './session-token.ts'

/** How long the way to the identity provider and back may take, in seconds. */
export const PROVIDER_STEP_S = 15 * 60

/** The session of this request; undefined when there is none, it ended, or it was not made by us. Says nothing about the person yet. */
export async function readSession(): Promise<Session | undefined> {
  return readToken('session')
}

/** Whether the session of this request was started with a passkey. */
export async function beganWithPasskey(): Promise<boolean> {
  return (await readSession())?.usedPasskey ?? false
}

/** Signs a person in on this browser, for twelve hours. For server actions only. */
export async function startSession(who: { personId: string; epoch: number; usedPasskey: boolean }): Promise<void> {
  await writeSession(newSession(who, 'session', backOfficeRuntime().clock.now()))
}

/**
 * Goes on under a new epoch in the browser in which a person ended their other sessions themselves: a session with an id of
 * its own that ends when this one would have ended, and was started as this one was. For server actions only.
 */
export async function continueSession(epoch: number): Promise<void> {
  const current = await readSession()
  if (!current) return
  const next = newSession({ ...current, epoch }, 'session', backOfficeRuntime().clock.now())
  await writeSession({ ...next, endsAt: current.endsAt })
}

/** Removes the session from this browser. It lives on wherever it was copied to until `endSession` ends it. For server actions only. */
export async function forgetSession(): Promise<void> {
  await writeCookie('session', '', 0)
  await writeCookie('pendingSecondFactor', '', 0)
}

/** The session of a person whose first step is done, and who must still enter a one-time code. */
export async function readPendingSecondFactorSession(): Promise<Session | undefined> {
  return readToken('pendingSecondFactor')
}

/** Remembers for five minutes that the first step of a sign-in is done. For server actions only. */
export async function startPendingSecondFactorSession(who: { personId: string; epoch: number; usedProvider?: boolean }): Promise<void> {
  const { clock, config } = backOfficeRuntime()
  const pending = newSession(who, 'pendingSecondFactor', clock.now())
  await writeCookie(
    'pendingSecondFactor',
    await sealSession(pending, 'pendingSecondFactor', config.sessionSecret, clock.now()),
    PENDING_SECOND_FACTOR_S,
  )
}

/** The id of this browser, where the person with this e-mail address signed in before; see known-device.ts. */
export async function readDevice(email: string): Promise<string | undefined> {
  return deviceMarks().recognise(await readCookie('device'), email)
}

/** Marks this browser as one in which this person signed in. For server actions only. */
export async function markDevice(email: string): Promise<void> {
  await writeCookie('device', deviceMarks().issue(email), DEVICE_MARK_S)
}

function deviceMarks(): DeviceMarks {
  const { config, clock } = backOfficeRuntime()
  return createDeviceMarks({ secret: config.sessionSecret, clock })
}

/** Remembers, while the person is at the identity provider, where they want to go. For route handlers only. */
export async function rememberNext(next: string): Promise<void> {
  await writeCookie('next', next, PROVIDER_STEP_S)
}

/** Where the person wanted to go before the identity provider, once. Browsers can change it. For route handlers only. */
export async function takeNext(): Promise<string | undefined> {
  const next = await readCookie('next')
  await writeCookie('next', '', 0)
  return next
}

/** Sets the pair by which next-auth recognises that a request is from here; returns the half that goes into the body. For route handlers only. */
export async function issueCsrfToken(): Promise<string> {
  const token = randomBytes(32).toString('hex')
  const hash = createHash('sha256').update(`${token}${backOfficeRuntime().config.sessionSecret}`).digest('hex')
  await writeCookie('csrf', `${token}|${hash}`, PROVIDER_STEP_S)
  return token
}

async function readToken(kind: SessionKind): Promise<Session | undefined> {
  const { config, clock } = backOfficeRuntime()
  const token = await readCookie(kind)
  return token ? openSession(token, kind, config.sessionSecret, clock.now()) : undefined
}

async function writeSession(session: Session): Promise<void> {
  const { config, clock } = backOfficeRuntime()
  await writeCookie('session', await sealSession(session, 'session', config.sessionSecret, clock.now()), SESSION_S)
  await writeCookie('pendingSecondFactor', '', 0)
}

async function readCookie(kind: CookieKind): Promise<string | undefined> {
  return (await cookies()).get(cookieName(kind, backOfficeRuntime().config.publicUrl))?.value
}

async function writeCookie(kind: CookieKind, value: string, maxAge: number): Promise<void> {
  const { publicUrl } = backOfficeRuntime().config
  const jar = await cookies()
  jar.set(cookieName(kind, publicUrl), value, {
    path: '/',
    maxAge,
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
}
