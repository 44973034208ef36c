import { randomUUID } from 'node:crypto'
import { cookies } from 'next/headers'
import { decode, encode } from 'next-auth/jwt'
import { z } from 'zod'
import type { Clock } from '#lib/time/time.ts'
import { createDeviceMarks, DEVICE_MARK_S, type DeviceMarks } from '#server/credentials/address.ts'
import { createBoundedCache } from '#server/credentials/password.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'

/** The session of this request; undefined when there is none, it ended, or it was not made by us. Says nothing about the person yet. */
export async function readSession(): Promise<Session | undefined> {
  return readToken('session')
}

/** Signs a person in on this browser, for twelve hours. For server actions only. */
export async function startSession(who: { personId: string; epoch: number }): Promise<void> {
  await writeSession(newSession(who, 'session', backOfficeRuntime().clock.now()))
}

/**
 * Goes on under a new epoch in the browser in which a person ended their other sessions themselves: a session with an id of
 * its own that ends when this one would have ended. For server actions only.
 */
export async function continueSession(epoch: number): Promise<void> {
  const current = await readSession()
  if (!current) return
  const next = newSession({ personId: current.personId, epoch }, 'session', backOfficeRuntime().clock.now())
  await writeSession({ ...next, endsAt: current.endsAt })
}

/** Removes the session from this browser. It lives on wherever it was copied to until `endSession` ends it. For server actions only. */
export async function forgetSession(): Promise<void> {
  await writeCookie('session', '', 0)
  await writeCookie('pendingSecondFactor', '', 0)
}

/** The session of a person who entered the right password and must still enter a one-time code. */
export async function readPendingSecondFactorSession(): Promise<Session | undefined> {
  return readToken('pendingSecondFactor')
}

/** Remembers for five minutes that the password was right. For server actions only. */
export async function startPendingSecondFactorSession(who: { personId: string; epoch: number }): Promise<void> {
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

type CookieKind = SessionKind | 'device' | 'callback'

/** Opening a token derives a key and decrypts; a page with its data sends the same one a dozen times. */
const OPENED_MAX = 2_000

/** `__Host-` binds a cookie to exactly this host over https; a browser refuses the prefix on plain http. */
export function cookieName(kind: CookieKind, publicUrl: string): string {
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}countersign.${kind === 'pendingSecondFactor' ? 'half' : kind}`
}

/**
 * Makes the function that tells the front door whose session a request carries: the id of the person; undefined without a session that
 * this service sealed and that has not ended by its own time. The database is not read, so a session that was signed out still counts here,
 * as its one person: it decides whose turn it is, never what anybody may see.
 */
export function createVisitorReader({
  publicUrl,
  sessionSecret,
  clock,
}: {
  publicUrl: string
  sessionSecret: string
  clock: Clock
}): (cookies: string | undefined) => Promise<string | undefined> {
  const start = `${cookieName('session', publicUrl)}=`
  const opened = createBoundedCache<string, Session>(OPENED_MAX)
  return async (cookies) => {
    const pair = cookies?.split(';').find((each) => each.trimStart().startsWith(start))
    if (pair === undefined) return undefined
    const token = pair.trim().slice(start.length)
    const session = opened.get(token) ?? (await openSession(token, 'session', sessionSecret, clock.now()))
    if (!session || session.endsAt <= clock.now()) return undefined
    // Only what was sealed here is remembered: anybody can send tokens that were not.
    opened.set(token, session)
    return session.personId
  }
}

/** How long a session lasts after the password was accepted, in seconds: 12 hours. Nothing extends it. */
export const SESSION_S = 12 * 60 * 60
/** How long the step between password and one-time code may take, in seconds. */
const PENDING_SECOND_FACTOR_S = 5 * 60

/** The person who signed in, the epoch of their sessions at that time, which session it is, and when it ends at the latest. */
export type Session = { personId: string; epoch: number; sessionId: string; endsAt: Date }

/** `pendingSecondFactor`: the password was right and the one-time code is still missing. */
type SessionKind = 'session' | 'pendingSecondFactor'

const claimsSchema = z.object({ sub: z.guid(), epoch: z.int(), sid: z.guid(), ends: z.int().positive() })
/** The only header that we write. Others are refused unread: some make the reader derive a key at length, before anything is verified. */
const HEADER = `${Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM' })).toString('base64url')}..`
const TOKEN_LENGTH_MAX = 1_024

/** A session that begins now, with an id of its own: the value of an earlier cookie never becomes a new session. */
export function newSession({ personId, epoch }: { personId: string; epoch: number }, kind: SessionKind, now: Date): Session {
  const lastsMs = (kind === 'session' ? SESSION_S : PENDING_SECOND_FACTOR_S) * 1_000
  return { personId, epoch, sessionId: randomUUID(), endsAt: new Date(now.getTime() + lastsMs) }
}

/** The session as an encrypted token for a cookie. */
export function sealSession(session: Session, kind: SessionKind, secret: string, now: Date): Promise<string> {
  const maxAge = Math.max(0, Math.ceil((session.endsAt.getTime() - now.getTime()) / 1_000))
  return encode({ token: toClaims(session), secret, salt: saltOf(kind), maxAge })
}

/** The session of a token; undefined when it has ended, is of another kind, or was not made by us. Says nothing about the person yet. */
export async function openSession(token: string, kind: SessionKind, secret: string, now: Date): Promise<Session | undefined> {
  if (token.length > TOKEN_LENGTH_MAX || !token.startsWith(HEADER)) return undefined
  // biome-ignore lint/plugin/no-silent-error: Every kind of bad token is reported by throwing; here they are all the same.
  const claims = claimsSchema.safeParse(await decode({ token, secret, salt: saltOf(kind) }).catch(() => null))
  if (!claims.success) return undefined
  const session = fromClaims(claims.data)
  return session.endsAt > now ? session : undefined
}

type SessionClaims = z.infer<typeof claimsSchema>

/** The claims of a token. */
export function toClaims({ personId, epoch, sessionId, endsAt }: Session): SessionClaims {
  return { sub: personId, epoch, sid: sessionId, ends: Math.floor(endsAt.getTime() / 1_000) }
}

/** The session of claims that next-auth hands on; undefined when they are not those of a session. */
export function readClaims(claims: unknown): Session | undefined {
  const parsed = claimsSchema.safeParse(claims)
  return parsed.success ? fromClaims(parsed.data) : undefined
}

function fromClaims({ sub, epoch, sid, ends }: SessionClaims): Session {
  return { personId: sub, epoch, sessionId: sid, endsAt: new Date(ends * 1_000) }
}

/** next-auth uses no salt for its own session. The other salt keeps a pending session from being accepted as a whole one. */
function saltOf(kind: SessionKind): string {
  return kind === 'session' ? '' : 'half'
}
