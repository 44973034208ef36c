import { cache } from 'react'
import { findSignedIn, type SessionPerson } from '#server/people/find-signed-in.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { readSession } from './session.ts'

/**
 * The person who is signed in on this request, read from the database once per request, so that a block or a sign-out takes
 * effect immediately.
 */
export const currentPerson = cache(async (): Promise<SessionPerson | undefined> => {
  const session = await readSession()
  return session ? findSignedIn(backOfficeRuntime().pool, session) : undefined
})
