import { bumpSessionEpoch } from '#server/identity/bump-session-epoch.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { currentPerson } from './current-person.ts'
import { endSession } from './session.ts'

/** Ends the session of this browser. For server actions only. */
export async function signOutHere(): Promise<void> {
  await endSession()
}

/** Ends every session of the person who is signed in, this one included. For server actions only. */
export async function endAllSessions(): Promise<void> {
  const person = await currentPerson()
  if (person)
    await bumpSessionEpoch(backOfficeRuntime().pool, { personId: person.personId, actor: { kind: 'person', id: person.personId } })
  await endSession()
}
