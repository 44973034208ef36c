import { randomUUID } from 'node:crypto'
import { decode, encode } from 'next-auth/jwt'
import { z } from 'zod'
import type { Clock } from '#lib/time/time.ts'
import { createBoundedCache } from '#server/credentials/password.ts'

/** How long a session lasts after the password was accepted, in seconds: 12 hours. Nothing extends it. */
export const SESSION_S = 12 * 60 * 60
/** How long the step between password and one-time code may take, in seconds. */
export const PENDING_SECOND_FACTOR_S = 5 * 60

/**
 * The person who signed in, the epoch of their sessions at that time, which session it is, and when it ends at the latest. `usedPasskey`: it was
 * started with a passkey. `usedProvider`: of a pending one, the first step was the identity provider and not the password.
 */
export type Session = {
  personId: string
  epoch: number
  sessionId: string
  endsAt: Date
  usedPasskey?: boolean
  usedProvider?: boolean
}

/** `pendingSecondFactor`: the first step, the password or the identity provider, is done and the one-time code is still missing. */
export type SessionKind = 'session' | 'pendingSecondFactor'

const claimsSchema = z.object({
  sub: z.guid(),
  epoch: z.int(),
  sid: z.guid(),
  ends: z.int().positive(),
  passkey: z.literal(true).optional(),
  sso: z.literal(true).optional(),
})
/** The only header that we write. Others are refused unread: some make the reader derive a key at length, before anything is verified. */
const HEADER = `${Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM' })).toString('base64url')}..`
const TOKEN_LENGTH_MAX = 1_024

/** A session that begins now, with an id of its own: the value of an earlier cookie never becomes a new session. */
export function newSession(
  { personId, epoch, usedPasskey = false, usedProvider = false }: Pick<Session, 'personId' | 'epoch' | 'usedPasskey' | 'usedProvider'>,
  kind: SessionKind,
  now: Date,
): Session {
  const lastsMs = (kind === 'session' ? SESSION_S : PENDING_SECOND_FACTOR_S) * 1_000
  const endsAt = new Date(now.getTime() + lastsMs)
  return { personId, epoch, sessionId: randomUUID(), endsAt, ...(usedPasskey && { usedPasskey }), ...(usedProvider && { usedProvider }) }
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
export function toClaims({ personId, epoch, sessionId, endsAt, usedPasskey, usedProvider }: Session): SessionClaims {
  return {
    sub: personId,
    epoch,
    sid: sessionId,
    ends: Math.floor(endsAt.getTime() / 1_000),
    ...(usedPasskey && { passkey: true as const }),
    ...(usedProvider && { sso: true as const }),
  }
}

/** The session of claims that next-auth hands on; undefined when they are not those of a session. */
export function readClaims(claims: unknown): Session | undefined {
  const parsed = claimsSchema.safeParse(claims)
  return parsed.success ? fromClaims(parsed.data) : undefined
}

function fromClaims({ sub, epoch, sid, ends, passkey, sso }: SessionClaims): Session {
  const endsAt = new Date(ends * 1_000)
  return { personId: sub, epoch, sessionId: sid, endsAt, ...(passkey && { usedPasskey: true }), ...(sso && { usedProvider: true }) }
}

/** next-auth uses no salt for its own session. The other salt keeps a pending session from being accepted as a whole one. */
function saltOf(kind: SessionKind): string {
  return kind === 'session' ? '' : 'half'
}

/** The last four are of a sign-in with the identity provider, until its answer. */
export type CookieKind = SessionKind | 'device' | 'callback' | 'csrf' | 'state' | 'verifier' | 'nonce' | 'next'

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
