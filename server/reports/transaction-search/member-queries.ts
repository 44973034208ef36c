import type { Queryable } from '#server/database/pool.ts'

/** Returns the people of an application by name: who may have created its transactions. */
export async function listMemberNames(queryable: Queryable, applicationId: string): Promise<{ personId: string; name: string }[]> {
  const { rows } = await queryable.query<{ personId: string; name: string }>(
    `select p.person_id as "personId", p.name from memberships m join people p on p.person_id = m.person_id
       where m.application_id = $1 order by p.name, p.person_id`,
    [applicationId],
  )
  return rows
}
