import type { Queryable } from '#server/database/pool.ts'

export type ApiUserRow = { applicationId: string; apiUserId: string; passwordHash: string; isBlocked: boolean }
type LockedApiUser = { apiUserId: string; passwordHash: string; isBlocked: boolean; tokenEpoch: number }
export type RefreshTokenRow = {
  apiUserId: string
  familyId: string
  expiresAt: Date
  replacedAt: Date | null
  revokedAt: Date | null
}
type NewRefreshToken = {
  applicationId: string
  tokenHash: Buffer
  apiUserId: string
  familyId: string
  createdAt: Date
  expiresAt: Date
}

/** The API user of a sign-in name. */
export async function findApiUser(queryable: Queryable, username: string): Promise<ApiUserRow | undefined> {
  const { rows } = await queryable.query<{ application_id: string; api_user_id: string; password_hash: string; is_blocked: boolean }>(
    'select application_id, api_user_id, password_hash, is_blocked from api_users where username = $1',
    [username],
  )
  const row = rows[0]
  return (
    row && { applicationId: row.application_id, apiUserId: row.api_user_id, passwordHash: row.password_hash, isBlocked: row.is_blocked }
  )
}

const LOCKED_COLUMNS = `u.api_user_id as "apiUserId", u.password_hash as "passwordHash", u.is_blocked as "isBlocked", u.token_epoch as "tokenEpoch"`

/**
 * Locks an API user until the transaction ends. Everything that issues, replaces or ends tokens of a user does so one after the
 * other under this lock: a password reset or the end of a family must not miss a token that is being stored meanwhile.
 */
export async function lockApiUser(trx: Queryable, applicationId: string, apiUserId: string): Promise<LockedApiUser | undefined> {
  const { rows } = await trx.query<LockedApiUser>(
    `select ${LOCKED_COLUMNS} from api_users u where u.application_id = $1 and u.api_user_id = $2 for no key update`,
    [applicationId, apiUserId],
  )
  return rows[0]
}

/** Locks the API user to whom a refresh token belongs, like `lockApiUser`; undefined when there is no such token. */
export async function lockOwnerOf(trx: Queryable, applicationId: string, tokenHash: Buffer): Promise<LockedApiUser | undefined> {
  const { rows } = await trx.query<LockedApiUser>(
    `select ${LOCKED_COLUMNS}
       from refresh_tokens t join api_users u on u.application_id = t.application_id and u.api_user_id = t.api_user_id
      where t.application_id = $1 and t.token_hash = $2 for no key update of u`,
    [applicationId, tokenHash],
  )
  return rows[0]
}

/** Reads one refresh token. Call it after the owner was locked: only a statement of its own sees what the holder before wrote. */
export async function findRefreshToken(trx: Queryable, applicationId: string, tokenHash: Buffer): Promise<RefreshTokenRow | undefined> {
  const { rows } = await trx.query<RefreshTokenRow>(
    `select api_user_id as "apiUserId", family_id as "familyId", expires_at as "expiresAt", replaced_at as "replacedAt",
            revoked_at as "revokedAt" from refresh_tokens where application_id = $1 and token_hash = $2`,
    [applicationId, tokenHash],
  )
  return rows[0]
}

/** Ends the access tokens of a user: those issued until now carry a lower epoch. */
export async function raiseTokenEpoch(trx: Queryable, applicationId: string, apiUserId: string): Promise<void> {
  await trx.query('update api_users set token_epoch = token_epoch + 1 where application_id = $1 and api_user_id = $2', [
    applicationId,
    apiUserId,
  ])
}

/** Stores a new token and removes the user's oldest ones beyond `tokensMax`. */
export async function insertRefreshToken(trx: Queryable, token: NewRefreshToken, tokensMax: number): Promise<void> {
  await trx.query(
    `insert into refresh_tokens (application_id, token_hash, api_user_id, family_id, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
    [token.applicationId, token.tokenHash, token.apiUserId, token.familyId, token.createdAt, token.expiresAt],
  )
  // Rows that a concurrent sign-in is removing are its business: waiting for them could only end in a deadlock.
  await trx.query(
    `delete from refresh_tokens where application_id = $1 and token_hash in (
       select token_hash from refresh_tokens where application_id = $1 and api_user_id = $2
         order by created_at desc, token_hash offset $3 for update skip locked)`,
    [token.applicationId, token.apiUserId, tokensMax],
  )
}

/** Notes that a token was exchanged for the next of its family. */
export async function markReplaced(trx: Queryable, applicationId: string, tokenHash: Buffer, at: Date): Promise<void> {
  await trx.query('update refresh_tokens set replaced_at = $3 where application_id = $1 and token_hash = $2', [
    applicationId,
    tokenHash,
    at,
  ])
}

/** Ends every token that came from the same sign-in. */
export async function revokeFamily(trx: Queryable, applicationId: string, familyId: string, at: Date): Promise<void> {
  await trx.query('update refresh_tokens set revoked_at = $3 where application_id = $1 and family_id = $2 and revoked_at is null', [
    applicationId,
    familyId,
    at,
  ])
}

/** Ends every refresh token of a user. */
export async function revokeUserTokens(trx: Queryable, applicationId: string, apiUserId: string): Promise<void> {
  await trx.query('update refresh_tokens set revoked_at = now() where application_id = $1 and api_user_id = $2 and revoked_at is null', [
    applicationId,
    apiUserId,
  ])
}

/** Removes tokens that ended before an instant. Returns how many. */
export async function deleteTokensExpiredBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from refresh_tokens where expires_at < $1', [before])
  return rowCount ?? 0
}
