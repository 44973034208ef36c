import { isAnythingLeft, lostRoles } from '#lib/leaving.ts'
import { rolesChangeSchema } from '#lib/schemas/proposed-change.ts'
import type { Queryable } from '#server/database/pool.ts'
import { readMember } from '#server/people/person-queries.ts'
import { readLeftBehind } from './read-left-behind.ts'

/** Whether a change of roles or membership would leave something that nobody else could decide. False for every other kind of change. */
export async function leavesAnything(
  queryable: Queryable,
  change: { applicationId: string; kind: string; input: unknown },
): Promise<boolean> {
  const { applicationId } = change
  const after = rolesChangeSchema.safeParse(change.input)
  if (change.kind !== 'person.roles' || !after.success) return false
  const { personId } = after.data
  const member = await readMember(queryable, applicationId, personId)
  // A blocked person decides nothing today.
  if (!member || member.isBlocked) return false
  const lost = lostRoles(member, after.data)
  return lost.length > 0 && isAnythingLeft(await readLeftBehind(queryable, { applicationId, personId, lost }))
}
