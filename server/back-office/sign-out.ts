import { currentPeerAddress } from '#server/http/request/request-origin.ts'
import { bumpSessionEpoch } from '#server/people/bump-session-epoch.ts'
import { endSession } from '#server/people/end-session.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { currentPerson } from './current-person.ts'
import { forgetSession, readSession } from './session.ts'
import type { Session } from './session-token.ts'

/** Ends the session of this browser on the server and in the browser. For server actions only. */
export async function signOutHere(): Promise<void> {
  const session = await readSession()
  if (session) await endOnServer(session)
  await forgetSession()
}

/** Ends every session of the person who is signed in, this one included. For server actions only. */
export async function endAllSessions(): Promise<void> {
  const person = await currentPerson()
  if (person)
    await bumpSessionEpoch(backOfficeRuntime().pool, { personId: person.personId, actor: { kind: 'person', id: person.personId } })
  await forgetSession()
}

/** Ends one session in every process, wherever its cookie is. */
export async function endOnServer(session: Session): Promise<void> {
  await endSession(backOfficeRuntime().pool, { ...session, address: currentPeerAddress() ?? 'unknown' })
}
