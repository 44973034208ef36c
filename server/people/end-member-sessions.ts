import { err, ok, type Result } from '#lib/result.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readMember } from './person-queries.ts'
import { selectSession } from './person-session-store.ts'
import { updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'
import { insertEndedSession } from './signed-in-store.ts'

type EndFailure = 'not_permitted' | 'not_a_member' | 'not_found'

/**
 * Ends one session of a member, or all of them without `sessionId`; in force with the next request, in every process. One administrator is
 * enough: the person can sign in again. A person's sessions are for all their applications, so they end there too, and those see it in
 * their records.
 */
export async function endMemberSessions(
  pool: Pool,
  command: { applicationId: string; personId: string; sessionId?: string | undefined; actor: PersonCommandActor },
): Promise<Result<void, EndFailure>> {
  const { applicationId, personId, sessionId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  return withTransaction<void, EndFailure>(pool, async (trx) => {
    const member = await readMember(trx, applicationId, personId)
    if (!member?.isActive) return err('not_a_member')
    if (sessionId === undefined) {
      await updatePerson(trx, personId, { endsSessions: true })
      await recordPersonAct(trx, { personId, actor, action: 'person.sessions_ended', isAccountChange: true })
      return ok(undefined)
    }
    const session = await selectSession(trx, personId, sessionId)
    if (!session || !(await insertEndedSession(trx, { ...session, personId, sessionId }))) return err('not_found')
    const details = { sessionAddress: session.address }
    await recordPersonAct(trx, { personId, actor, action: 'person.session_ended', details, isAccountChange: false })
    return ok(undefined)
  })
}
