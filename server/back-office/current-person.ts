import { headers } from 'next/headers'
import { cache } from 'react'
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
  const person = await findSignedIn(pool, session)
  if (person) {
    const userAgent = (await headers()).get('user-agent') ?? ''
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
