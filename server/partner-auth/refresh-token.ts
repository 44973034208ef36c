import { randomBytes } from 'node:crypto'
import { digest } from '#server/credentials/secrets.ts'
import type { Queryable } from '#server/database/pool.ts'
import { deleteTokensExpiredBefore, insertRefreshToken } from './token-store.ts'

/** How long a refresh token is valid: 30 days. */
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000
/** How long a replaced token still returns its successor: the first answer may have been lost. */
export const REPLACED_GRACE_MS = 30_000
/** Refresh tokens stored per user: repeated sign-ins of a program remove only its own oldest. */
const TOKENS_MAX = 50
const TOKEN = /^[A-Za-z0-9_-]{64}$/

/** The text of a refresh token: 16 bytes that name the application it is stored in, then 32 random ones. */
export function formatRefreshToken(applicationId: string, bytes: Buffer = randomBytes(32)): string {
  return Buffer.concat([Buffer.from(applicationId.replaceAll('-', ''), 'hex'), bytes]).toString('base64url')
}

/** Stores the digest of a refresh token and removes the user's oldest tokens beyond the limit. */
export async function storeRefreshToken(
  trx: Queryable,
  owner: { applicationId: string; apiUserId: string; familyId: string },
  token: string,
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + REFRESH_TOKEN_MS)
  await insertRefreshToken(trx, { ...owner, tokenHash: digest(token), createdAt: now, expiresAt }, TOKENS_MAX)
}

/** Returns the application that stores a refresh token, and its digest; undefined if the text cannot be one. */
export function locateRefreshToken(token: string): { applicationId: string; tokenHash: Buffer } | undefined {
  if (!TOKEN.test(token)) return undefined
  const hex = Buffer.from(token, 'base64url').subarray(0, 16).toString('hex')
  const applicationId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { applicationId, tokenHash: digest(token) }
}

/** Removes tokens a day after their end. For the scheduled cleaning. Returns how many. */
export function pruneRefreshTokens(queryable: Queryable, now: Date): Promise<number> {
  return deleteTokensExpiredBefore(queryable, new Date(now.getTime() - 24 * 3_600_000))
}
