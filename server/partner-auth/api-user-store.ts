import type { Queryable } from '#server/database/pool.ts'

type NewApiUser = { applicationId: string; apiUserId: string; username: string; passwordHash: string; passwordHolder: string | undefined }

/** Stores a new API user, unless the application does not exist or the name is taken. */
export async function insertApiUser(trx: Queryable, user: NewApiUser): Promise<'created' | 'unknown_application' | 'username_taken'> {
  const { rowCount: known } = await trx.query('select 1 from applications where application_id = $1', [user.applicationId])
  if (known !== 1) return 'unknown_application'
  const { rowCount } = await trx.query(
    `insert into api_users (application_id, api_user_id, username, password_hash, password_holders)
       values ($1, $2, $3, $4, array_remove(array[$5::uuid], null)) on conflict (username) do nothing`,
    [user.applicationId, user.apiUserId, user.username, user.passwordHash, user.passwordHolder],
  )
  return rowCount === 1 ? 'created' : 'username_taken'
}

/** Sets a new password and ends the user's access tokens; false when there is no such user. */
export async function updateApiUserPassword(
  trx: Queryable,
  { applicationId, apiUserId, passwordHash, passwordHolder }: Omit<NewApiUser, 'username'>,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update api_users set password_hash = $3, token_epoch = token_epoch + 1,
         password_holders = array_remove(password_holders, $4::uuid) || array_remove(array[$4::uuid], null)
       where application_id = $1 and api_user_id = $2`,
    [applicationId, apiUserId, passwordHash, passwordHolder],
  )
  return rowCount === 1
}

/** Blocks or unblocks; false when there is no such user. */
export async function updateApiUserBlocked(trx: Queryable, applicationId: string, apiUserId: string, isBlocked: boolean): Promise<boolean> {
  const { rowCount } = await trx.query('update api_users set is_blocked = $3 where application_id = $1 and api_user_id = $2', [
    applicationId,
    apiUserId,
    isBlocked,
  ])
  return rowCount === 1
}

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
