import type { Clock } from '#lib/time.ts'
import { createBoundedCache } from '#server/credentials/bounded-cache.ts'
import { openSession, type Session, type SessionKind } from './session-token.ts'

export type CookieKind = SessionKind | 'device' | 'callback'

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
