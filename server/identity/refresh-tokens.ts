import { err, ok, type Result } from '#lib/result.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { ACCESS_TOKEN_SECONDS } from './access-token.ts'
import type { TokenDeps, TokenPair } from './issue-tokens.ts'
import { keepNewRefreshToken, locateRefreshToken, REPLACED_GRACE_MS } from './refresh-token.ts'
import { findRefreshToken, lockFamilyOf, markReplaced, revokeFamily } from './token-store.ts'

export type RefreshFailure = 'invalid_token' | 'user_blocked' | 'application_disabled'
type Exchange = { kind: 'exchanged'; apiUserId: string; refreshToken: string } | { kind: 'refused'; failure: RefreshFailure }

/**
 * POST /public/refresh_token: exchanges a refresh token for a new pair and retires it (DESIGN 5, Tokens). A token that
 * was replaced within the last 30 s still works, because the answer may have been lost; used later, it was probably
 * stolen: the whole family ends and the caller gets `invalid_token` like for any wrong token.
 */
export async function refreshTokens(
  deps: Omit<TokenDeps, 'throttle'>,
  request: { refreshToken: string },
): Promise<Result<TokenPair, RefreshFailure>> {
  const { pool, tokens, directory } = deps
  const place = locateRefreshToken(request.refreshToken)
  if (!place) return err('invalid_token')
  const isDisabled = directory.find(place.applicationId)?.isEnabled === false
  // A refusal is a value here, not a failure: the end of a family must be committed.
  const result = await withTransaction<Exchange, never>(pool, async (trx) => ok(await exchange(trx, place, tokens.clock.now(), isDisabled)))
  if (!result.ok) return result
  if (result.value.kind === 'refused') return err(result.value.failure)
  const accessToken = await tokens.sign(result.value.apiUserId, place.applicationId)
  return ok({ accessToken, refreshToken: result.value.refreshToken, expiresInSeconds: ACCESS_TOKEN_SECONDS })
}

async function exchange(
  trx: TrxClient,
  place: { applicationId: string; tokenHash: Buffer },
  now: Date,
  isDisabled: boolean,
): Promise<Exchange> {
  await lockFamilyOf(trx, place.applicationId, place.tokenHash)
  const token = await findRefreshToken(trx, place.applicationId, place.tokenHash)
  if (!token || token.revokedAt || token.expiresAt <= now) return { kind: 'refused', failure: 'invalid_token' }
  if (token.replacedAt && now.getTime() - token.replacedAt.getTime() > REPLACED_GRACE_MS) {
    await revokeFamily(trx, place.applicationId, token.familyId, now)
    return { kind: 'refused', failure: 'invalid_token' }
  }
  if (token.isBlocked) return { kind: 'refused', failure: 'user_blocked' }
  if (isDisabled) return { kind: 'refused', failure: 'application_disabled' }
  if (!token.replacedAt) await markReplaced(trx, place.applicationId, place.tokenHash, now)
  const owner = { applicationId: place.applicationId, apiUserId: token.apiUserId, familyId: token.familyId }
  return { kind: 'exchanged', apiUserId: token.apiUserId, refreshToken: await keepNewRefreshToken(trx, owner, now) }
}
