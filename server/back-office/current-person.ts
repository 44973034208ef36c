import { headers } from 'next/headers'
import { cache } from 'react'
import { IN_USE_HEADER } from '#lib/page-use.ts'
import { callerAddress } from '#server/caller-address.ts'
import { findSignedIn, type SessionPerson } from '#server/people/find-signed-in.ts'
import { noteSessionUse } from '#server/people/note-session-use.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { readSession } from './session.ts'
import { SESSION_S } from './session-token.ts'

/**
 * The person who is signed in on this request, read from the database once per request, so that a block or a sign-out takes
 * effect immediately.
 */
export const currentPerson = cache(async (): Promise<SessionPerson | undefined> => {
  const session = await readSession()
  if (!session) return undefined
  const { pool, clock } = backOfficeRuntime()
  const person = await findSignedIn(pool, session, clock.now())
  const head = await headers()
  if (person && isUse(head)) {
    const userAgent = head.get('user-agent') ?? ''
    // The end is always that of the sign-in, also after the id of the session has changed.
    const startedAt = new Date(session.endsAt.getTime() - SESSION_S * 1_000)
    await noteSessionUse(
      pool,
      { ...session, startedAt, userAgent, address: callerAddress() ?? 'unknown', notedAt: person.sessionUsedAt },
      clock.now(),
    )
  }
  return person
})

/**
 * Whether a person caused this request. An open page renews its data and its live connection without anybody in front of it, and Next loads
 * pages that may be opened: neither keeps a session from ending. Data that a page loads says whether somebody is using the page.
 */
function isUse(head: Pick<Headers, 'get'>): boolean {
  if (head.get('next-router-prefetch') !== null) return false
  const accept = head.get('accept') ?? ''
  return head.get(IN_USE_HEADER) !== null || !(accept.startsWith('application/json') || accept.startsWith('text/event-stream'))
}
