import { randomBytes } from 'node:crypto'
import type { Queryable } from '#server/database/pool.ts'
import { digest } from './secrets.ts'
import { deleteTokensExpiredBefore, insertRefreshToken } from './token-store.ts'

/** 30 days (DESIGN 5, Tokens). */
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000
/** A token that was just replaced still works this long: the answer that carried its successor may have been lost. */
export const REPLACED_GRACE_MS = 30_000
/** Refresh tokens kept per user: a program that signs in again and again pushes out only its own oldest. */
const TOKENS_MAX = 50
const TOKEN = /^[A-Za-z0-9_-]{64}$/

/** Makes and keeps a refresh token: 16 bytes that say in which application it is kept, then 32 random ones. */
export async function keepNewRefreshToken(
  trx: Queryable,
  owner: { applicationId: string; apiUserId: string; familyId: string },
  now: Date,
): Promise<string> {
  const token = Buffer.concat([Buffer.from(owner.applicationId.replaceAll('-', ''), 'hex'), randomBytes(32)]).toString('base64url')
  const expiresAt = new Date(now.getTime() + REFRESH_TOKEN_MS)
  await insertRefreshToken(trx, { ...owner, tokenHash: digest(token), createdAt: now, expiresAt }, TOKENS_MAX)
  return token
}

/** Where a refresh token is kept and under which digest; undefined when the text cannot be one. */
export function locateRefreshToken(token: string): { applicationId: string; tokenHash: Buffer } | undefined {
  if (!TOKEN.test(token)) return undefined
  const hex = Buffer.from(token, 'base64url').subarray(0, 16).toString('hex')
  const applicationId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { applicationId, tokenHash: digest(token) }
}

/** Removes tokens a day after their end. For the scheduled cleaning; gives how many. */
export function pruneRefreshTokens(queryable: Queryable, now: Date): Promise<number> {
  return deleteTokensExpiredBefore(queryable, new Date(now.getTime() - 24 * 3_600_000))
}
