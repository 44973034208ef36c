import type { Queryable } from '#server/database/pool.ts'

/** The names of those of these ids that are people, API users of an application (by their user name) or the application that runs the installation. */
export async function selectNames(queryable: Queryable, applicationId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await queryable.query<{ id: string; name: string }>(
    `select person_id as id, name from people where person_id = any ($2::uuid[])
     union all select api_user_id, username from api_users where application_id = $1 and api_user_id = any ($2::uuid[])
     union all select application_id, name from applications where runs_installation and application_id = any ($2::uuid[])`,
    [applicationId, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
