import { err, ok, type Result } from '#lib/result.ts'
import { makeEpochKnown } from '#server/applications/directory.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { ACCESS_TOKEN_SECONDS, type Tokens } from './access-token.ts'
import type { TokenDeps, TokenPair } from './issue-tokens.ts'
import { formatRefreshToken, locateRefreshToken, REPLACED_GRACE_MS, storeRefreshToken } from './refresh-token.ts'
import { findRefreshToken, lockOwnerOf, markReplaced, type RefreshTokenRow, raiseTokenEpoch, revokeFamily } from './token-store.ts'
import { runTokenWork } from './token-work.ts'

export type RefreshFailure = 'invalid_token' | 'throttled' | 'user_blocked' | 'application_disabled'
type Exchange = { kind: 'exchanged'; apiUserId: string; epoch: number; refreshToken: string } | { kind: 'refused'; failure: RefreshFailure }
type Presented = { applicationId: string; tokenHash: Buffer; refreshToken: string }

const INVALID: Exchange = { kind: 'refused', failure: 'invalid_token' }

/**
 * POST /public/refresh_token: exchanges a refresh token for a new pair and replaces it. The answer may be lost, so a token
 * that was replaced within the last 30 s returns the same successor again: there is one chain however often it is sent.
 * Used later, or after its successor was used, it was probably stolen: its whole family and the access tokens of the user
 * end, and the caller gets `invalid_token` as for any wrong token. `throttled`: too many exchanges of this application wait.
 */
export async function exchangeRefreshToken(
  deps: Omit<TokenDeps, 'throttle'>,
  request: { refreshToken: string },
): Promise<Result<TokenPair, RefreshFailure>> {
  const { pool, tokens, directory } = deps
  const place = locateRefreshToken(request.refreshToken)
  if (!place) return err('invalid_token')
  const application = directory.find(place.applicationId)
  // An invented token: refused without a database query.
  if (!application) return err('invalid_token')
  const presented = { ...place, refreshToken: request.refreshToken }
  const result = await runTokenWork<Result<Exchange, never>>(place.applicationId, place.tokenHash.toString('base64'), async () => {
    if (!(await findRefreshToken(pool, place.applicationId, place.tokenHash))) return ok(INVALID)
    // A refusal is a value here, not a failure: the end of a family must be committed.
    return withTransaction(pool, async (trx) => ok(await exchange(trx, tokens, presented, !application.isEnabled)))
  })
  if (!result) return err('throttled')
  if (!result.ok) return result
  if (result.value.kind === 'refused') return err(result.value.failure)
  const { apiUserId, epoch, refreshToken } = result.value
  await makeEpochKnown(directory, { applicationId: place.applicationId, apiUserId, epoch })
  const accessToken = await tokens.sign(apiUserId, place.applicationId, epoch)
  return ok({ accessToken, refreshToken, expiresInSeconds: ACCESS_TOKEN_SECONDS })
}

async function exchange(trx: TrxClient, tokens: Tokens, presented: Presented, isDisabled: boolean): Promise<Exchange> {
  const { applicationId, tokenHash } = presented
  const now = tokens.clock.now()
  const owner = await lockOwnerOf(trx, applicationId, tokenHash)
  const token = await findRefreshToken(trx, applicationId, tokenHash)
  if (!owner || !token || token.revokedAt || token.expiresAt <= now) return INVALID
  const refreshToken = formatRefreshToken(applicationId, tokens.successorBytes(presented.refreshToken))
  if (token.replacedAt) {
    const successor = await findRefreshToken(trx, applicationId, digest(refreshToken))
    if (now.getTime() - token.replacedAt.getTime() > REPLACED_GRACE_MS || successor?.replacedAt) {
      await endAfterReuse(trx, applicationId, token, now)
      return INVALID
    }
    // Replaced under another secret: the successor cannot be computed again, and a second one must not exist.
    if (!successor || successor.revokedAt) return INVALID
  }
  if (owner.isBlocked) return { kind: 'refused', failure: 'user_blocked' }
  if (isDisabled) return { kind: 'refused', failure: 'application_disabled' }
  if (!token.replacedAt) {
    await markReplaced(trx, applicationId, tokenHash, now)
    await storeRefreshToken(trx, { applicationId, apiUserId: token.apiUserId, familyId: token.familyId }, refreshToken, now)
  }
  return { kind: 'exchanged', apiUserId: token.apiUserId, epoch: owner.tokenEpoch, refreshToken }
}

async function endAfterReuse(trx: TrxClient, applicationId: string, token: RefreshTokenRow, now: Date): Promise<void> {
  await revokeFamily(trx, applicationId, token.familyId, now)
  await raiseTokenEpoch(trx, applicationId, token.apiUserId)
  await appendAudit(trx, {
    applicationId,
    actor: SYSTEM_ACTOR,
    action: 'api_user.tokens_ended',
    subject: token.apiUserId,
    details: { reason: 'refresh_token_reused' },
  })
}
