import type { z } from 'zod'
import { rolesChangeSchema } from '#lib/schemas/proposed-change.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectPayload } from './change-store.ts'

/** Returns the effect of an open change of roles; undefined for any other change. */
export async function readRolesChange(
  queryable: Queryable,
  applicationId: string,
  changeId: string,
): Promise<z.output<typeof rolesChangeSchema> | undefined> {
  const payload = await selectPayload(queryable, applicationId, changeId, 'person.roles')
  return payload === undefined ? undefined : rolesChangeSchema.parse(payload)
}
