import { cookies } from 'next/headers'
import { decode, encode } from 'next-auth/jwt'
import { backOfficeRuntime } from './back-office-runtime.ts'

/** What a session holds, and all it holds: who, and which generation of their sessions it belongs to. */
export type Session = { personId: string; epoch: number }

/** A working day; after it people sign in again. */
export const SESSION_S = 12 * 60 * 60
/** How long the step between password and one-time code may take. */
const PENDING_S = 5 * 60

type CookieKind = 'session' | 'half'

/** `__Host-` binds a cookie to exactly this host over https; a browser refuses the prefix on plain http. */
export function cookieName(kind: CookieKind, publicUrl: string): string {
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}countersign.${kind}`
}

/** The session of this request; undefined when there is none, it ended, or it was not made by us. Says nothing about the person yet. */
export async function readSession(): Promise<Session | undefined> {
  return readToken('session')
}

/** Signs a person in on this browser. For server actions only. */
export async function startSession(session: Session): Promise<void> {
  await writeToken('session', session, SESSION_S)
  await forgetToken('half')
}

/** Signs out on this browser. For server actions only. */
export async function endSession(): Promise<void> {
  await forgetToken('session')
  await forgetToken('half')
}

/** Who has given the right password and owes a one-time code. */
export async function readHalfSession(): Promise<Session | undefined> {
  return readToken('half')
}

/** Remembers for five minutes that the password was right. For server actions only. */
export async function startHalfSession(session: Session): Promise<void> {
  await writeToken('half', session, PENDING_S)
}

async function readToken(kind: CookieKind): Promise<Session | undefined> {
  const { publicUrl, sessionSecret } = backOfficeRuntime().config
  const token = (await cookies()).get(cookieName(kind, publicUrl))?.value
  if (!token) return undefined
  const claims = await decode({ token, secret: sessionSecret, salt: saltOf(kind) }).catch(() => null)
  return typeof claims?.sub === 'string' && typeof claims['epoch'] === 'number'
    ? { personId: claims.sub, epoch: claims['epoch'] }
    : undefined
}

async function writeToken(kind: CookieKind, session: Session, maxAge: number): Promise<void> {
  const { publicUrl, sessionSecret } = backOfficeRuntime().config
  const token = await encode({ token: { sub: session.personId, epoch: session.epoch }, secret: sessionSecret, salt: saltOf(kind), maxAge })
  const jar = await cookies()
  jar.set(cookieName(kind, publicUrl), token, {
    path: '/',
    maxAge,
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
}

async function forgetToken(kind: CookieKind): Promise<void> {
  const { publicUrl } = backOfficeRuntime().config
  const jar = await cookies()
  jar.set(cookieName(kind, publicUrl), '', {
    path: '/',
    maxAge: 0,
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
}

/** next-auth uses no salt for its own session; the half session must never pass for a whole one. */
function saltOf(kind: CookieKind): string {
  return kind === 'session' ? '' : 'half'
}
