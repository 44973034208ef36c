import { mayDecideElsewhere, type Permission, ROLES, rolesWith } from '#lib/people/permissions.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Something that a second person decides. `except`: who takes no part in it, by id; undefined counts as nobody. */
type Decision = { applicationId: string; permission: Permission; except: readonly (string | undefined)[] }

/**
 * Returns the application whose people may decide what one person of an application proposed: its own, or the one that runs the installation, if nobody
 * else in its own may. Undefined where nobody may.
 */
export async function findDecidingApplication(
  queryable: Queryable,
  { applicationId, permission, except }: Decision,
): Promise<string | undefined> {
  const others = except.filter((id) => id !== undefined)
  const [row] = await runQuery<{ id: string | null }>(
    queryable,
    sql`select case when ${hasMember({ applicationId: sql`${applicationId}::uuid`, roles: sql`${rolesWith(permission)}::text[]`, except: sql`${others}::text[]` })}
        then ${applicationId}::uuid
        else (select a.application_id from applications a where a.runs_installation and a.application_id <> ${applicationId}
          and ${hasMember({ applicationId: sql`a.application_id`, roles: sql`${ROLES.filter((role) => mayDecideElsewhere([role], permission))}::text[]`, except: sql`${others}::text[]` })}) end as id`,
  )
  return row?.id ?? undefined
}

/** The condition that an application has an active member with one of these roles, besides some people. `except`: a text array of ids. */
export function hasMember({ applicationId, roles, except }: Record<'applicationId' | 'roles' | 'except', Sql>): Sql {
  return sql`exists (select from memberships sm join people sp on sp.person_id = sm.person_id
    where sm.application_id = ${applicationId} and sm.is_active and not sp.is_blocked and sm.roles && ${roles}
      and sm.person_id::text <> all (${except}))`
}
