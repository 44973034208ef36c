import type { Role } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Queryable } from '#server/database/pool.ts'
import { readActor } from './person-store.ts'

/** A person who works in one application. Assignable to CommandActor. */
export type PersonActor = {
  kind: 'person'
  id: string
  applicationId: string
  roles: readonly Role[]
  name: string
  email: string
  locale: 'en' | 'fr' | null
  timeZone: string | null
  hasSecondFactor: boolean
  /** The application requires a second factor and this person has none yet: only enrolment is allowed. */
  mustEnrolSecondFactor: boolean
  isApplicationEnabled: boolean
}

type ActorFailure = 'unknown_person' | 'person_blocked' | 'signed_out' | 'not_a_member'

/**
 * Who this person is in this application right now, read from the database each time, so that a blocked person is out
 * with the next request. With `sessionEpoch`, a session that started before the last "sign out everywhere",
 * password change or block is `signed_out`.
 */
export async function loadActor(
  queryable: Queryable,
  personId: string,
  applicationId: string,
  sessionEpoch?: number,
): Promise<Result<PersonActor, ActorFailure>> {
  const row = await readActor(queryable, personId, applicationId)
  if (!row) return err('unknown_person')
  if (row.isBlocked) return err('person_blocked')
  if (sessionEpoch !== undefined && sessionEpoch !== row.sessionEpoch) return err('signed_out')
  if (!row.roles || !row.isActive) return err('not_a_member')
  return ok({
    kind: 'person',
    id: row.personId,
    applicationId,
    roles: row.roles,
    name: row.name,
    email: row.email,
    locale: row.locale,
    timeZone: row.timeZone,
    hasSecondFactor: row.hasSecondFactor,
    mustEnrolSecondFactor: row.requiresSecondFactor && !row.hasSecondFactor,
    isApplicationEnabled: row.isApplicationEnabled,
  })
}
