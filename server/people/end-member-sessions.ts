import { err, ok, type Result } from '#lib/result.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readMember } from './person-queries.ts'
import { selectSessionsToEnd } from './person-session-store.ts'
import { recordPersonAct } from './record-person-act.ts'
import { insertEndedSession } from './signed-in-store.ts'

type EndFailure = 'not_permitted' | 'not_a_member' | 'not_found'

/**
 * Ends one session of a member that was used in this application, or all of these without `sessionId`; in force with the next request, in every
 * process. One administrator is enough: the person can sign in again. Such a session ends in the person's other applications too, and those see it
 * in their records; sessions that were only used there go on.
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
    let address: string | undefined
    for (const session of await selectSessionsToEnd(trx, { applicationId, personId, sessionId })) {
      if (await insertEndedSession(trx, { ...session, personId })) address = session.address
    }
    if (sessionId === undefined) {
      await recordPersonAct(trx, { personId, actor, action: 'person.sessions_ended', isAccountChange: false })
      return ok(undefined)
    }
    if (address === undefined) return err('not_found')
    const details = { sessionAddress: address }
    await recordPersonAct(trx, { personId, actor, action: 'person.session_ended', details, isAccountChange: false })
    return ok(undefined)
  })
}
