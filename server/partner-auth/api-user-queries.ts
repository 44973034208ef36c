import type { Queryable } from '#server/database/pool.ts'

/** Returns the API user who signs in with this name and the application that it belongs to; undefined if there is none. */
export async function findApiUserByName(
  queryable: Queryable,
  username: string,
): Promise<{ applicationId: string; apiUserId: string; username: string } | undefined> {
  const { rows } = await queryable.query<{ application_id: string; api_user_id: string; username: string }>(
    'select application_id, api_user_id, username from api_users where username = $1',
    [username],
  )
  const row = rows[0]
  return row && { applicationId: row.application_id, apiUserId: row.api_user_id, username: row.username }
}
