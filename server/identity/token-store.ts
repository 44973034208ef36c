import type { Queryable } from '#server/database/pool.ts'

export type ApiUserRow = { applicationId: string; apiUserId: string; passwordHash: string; isBlocked: boolean }
export type RefreshTokenRow = {
  apiUserId: string
  familyId: string
  expiresAt: Date
  replacedAt: Date | null
  revokedAt: Date | null
  isBlocked: boolean
}
export type NewRefreshToken = {
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

/**
 * Makes the uses of tokens of one family come one after the other until the transaction ends: a family that is being
 * ended must not gain a member meanwhile.
 */
export async function lockFamilyOf(trx: Queryable, applicationId: string, tokenHash: Buffer): Promise<void> {
  await trx.query(
    `select pg_advisory_xact_lock(hashtextextended('refresh ' || family_id::text, 0))
       from refresh_tokens where application_id = $1 and token_hash = $2`,
    [applicationId, tokenHash],
  )
}

/** Reads one refresh token and whether its user is blocked. */
export async function findRefreshToken(trx: Queryable, applicationId: string, tokenHash: Buffer): Promise<RefreshTokenRow | undefined> {
  const { rows } = await trx.query<{
    api_user_id: string
    family_id: string
    expires_at: Date
    replaced_at: Date | null
    revoked_at: Date | null
    is_blocked: boolean
  }>(
    `select t.api_user_id, t.family_id, t.expires_at, t.replaced_at, t.revoked_at, u.is_blocked
       from refresh_tokens t join api_users u on u.application_id = t.application_id and u.api_user_id = t.api_user_id
      where t.application_id = $1 and t.token_hash = $2`,
    [applicationId, tokenHash],
  )
  const row = rows[0]
  return (
    row && {
      apiUserId: row.api_user_id,
      familyId: row.family_id,
      expiresAt: row.expires_at,
      replacedAt: row.replaced_at,
      revokedAt: row.revoked_at,
      isBlocked: row.is_blocked,
    }
  )
}

/** Keeps a new token and removes the same user's oldest beyond `tokensMax`. */
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

/** Removes tokens that ended before an instant; gives how many. */
export async function deleteTokensExpiredBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from refresh_tokens where expires_at < $1', [before])
  return rowCount ?? 0
}
