import { headers } from 'next/headers'
import { cache } from 'react'
import { IN_USE_HEADER } from '#lib/pages/page-use.ts'
import { callerAddress } from '#server/caller-address.ts'
import { findSignedIn, noteApplicationUse, noteSessionUse, type SessionPerson } from '#server/people/sign-in/sessions.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { readSession } from './session/session.ts'
import { SESSION_S } from './session/session-token.ts'

const currentSession = cache(readSession)

/**
 * The person who is signed in on this request, read from the database once per request, so that a block or a sign-out takes
 * effect immediately.
 */
export const currentPerson = cache(async (): Promise<SessionPerson | undefined> => {
  const session = await currentSession()
  if (!session) return undefined
  const { pool, clock } = backOfficeRuntime()
  const person = await findSignedIn(pool, session, clock.now())
  // The first request of a session counts whatever it is: one that was never noted would never be idle.
  if (person && (person.sessionUsedAt === null || (await isUse()))) {
    // The end is always that of the sign-in, also after the id of the session has changed.
    const startedAt = new Date(session.endsAt.getTime() - SESSION_S * 1_000)
    await noteSessionUse(pool, { ...session, ...(await currentSource()), startedAt, notedAt: person.sessionUsedAt }, clock.now())
  }
  return person
})

/** The membership of the person who is signed in, in the application with this slug or id. Noted as a use of the session there. */
export const currentMembership = cache(async (application: string): Promise<SessionPerson['memberships'][number] | undefined> => {
  const person = await currentPerson()
  const membership = person?.memberships.find((each) => each.slug === application || each.applicationId === application)
  const session = await currentSession()
  if (!membership || !session) return undefined
  const { applicationId, usedAt } = membership
  const { pool, clock } = backOfficeRuntime()
  // As above: one that only asks for data would otherwise be neither seen nor ended by the administrators of the application.
  if (usedAt === null || (await isUse()))
    await noteApplicationUse(pool, { ...session, ...(await currentSource()), applicationId, notedAt: usedAt }, clock.now())
  return membership
})

/** The address and the browser of this request. */
export async function currentSource(): Promise<{ address: string; userAgent: string }> {
  return { address: callerAddress() ?? 'unknown', userAgent: (await headers()).get('user-agent') ?? '' }
}

/**
 * Whether a person caused this request. An open page renews its data and its live connection without anybody in front of it, and Next loads
 * pages that may be opened: neither keeps a session from ending. Data that a page loads says whether somebody is using the page.
 */
async function isUse(): Promise<boolean> {
  const head = await headers()
  if (head.get('next-router-prefetch') !== null) return false
  const accept = head.get('accept') ?? ''
  return head.get(IN_USE_HEADER) !== null || !(accept.startsWith('application/json') || accept.startsWith('text/event-stream'))
}
