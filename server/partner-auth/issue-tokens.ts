import { randomUUID } from 'node:crypto'
import type { RefusalCause } from '#lib/refusal-cause.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type Directory, makeEpochKnown } from '#server/applications/directory.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { SignInFailure, SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { ACCESS_TOKEN_SECONDS, type Tokens } from './access-token.ts'
import { formatRefreshToken, storeRefreshToken } from './refresh-token.ts'
import type { RefusalLog } from './refusal-log.ts'
import { type ApiUserRow, findApiUser, lockApiUser } from './token-store.ts'
import { runTokenWork } from './token-work.ts'

export type TokenDeps = {
  pool: Pool
  tokens: Tokens
  directory: Directory
  throttle: SignInThrottle
  /** The log of refusals for the partner. */
  refusals?: Pick<RefusalLog, 'note'>
}
export type TokenPair = { accessToken: string; refreshToken: string; expiresInSeconds: number }
export type IssueFailure = SignInFailure | { kind: 'user_blocked' } | { kind: 'application_disabled' }

/**
 * POST /public/access_token: exchanges user name and password for tokens. An unknown name costs and
 * answers the same as a wrong password (401), too many wrong ones are `throttled` (429). A blocked user and a disabled application are
 * reported (403) only for the correct password.
 */
export async function issueTokens(
  deps: TokenDeps,
  request: { username: string; password: string; peerAddress: string },
): Promise<Result<TokenPair, IssueFailure>> {
  const { pool, tokens, directory, throttle } = deps
  let named: ApiUserRow | undefined
  const refuse = (failure: IssueFailure, cause: RefusalCause): Result<TokenPair, IssueFailure> => {
    const { username: subject, peerAddress: address } = request
    if (named) deps.refusals?.note({ applicationId: named.applicationId, cause, address, subject })
    return err(failure)
  }
  const checked = await throttle.check<ApiUserRow>({
    scope: 'api',
    name: request.username,
    address: request.peerAddress,
    password: request.password,
    // PostgreSQL cannot store a NUL, so there is no such name.
    find: async () => {
      named = request.username.includes('\0') ? undefined : await findApiUser(pool, request.username)
      return named
    },
    onWrong: (user, failures) => recordFailure(pool, user, { address: request.peerAddress, failures }),
  })
  if (!checked.ok) return checked.error.kind === 'wrong_credentials' ? refuse(checked.error, 'wrong_password') : checked
  const user = checked.value
  if (user.isBlocked) return refuse({ kind: 'user_blocked' }, 'user_blocked')
  if (directory.find(user.applicationId)?.isEnabled === false) return refuse({ kind: 'application_disabled' }, 'application_disabled')
  const kept = await runTokenWork(user.applicationId, user.apiUserId, () => keepToken(deps, user))
  if (!kept) return err({ kind: 'throttled', retryAfterMs: 1_000 })
  if (!kept.ok) return kept
  const { tokenEpoch: epoch, refreshToken } = kept.value
  await makeEpochKnown(directory, { ...user, epoch })
  return ok({
    accessToken: await tokens.sign(user.apiUserId, user.applicationId, epoch),
    refreshToken,
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
  })
}

/** Records wrong passwords for a program that exists; how often is decided by the throttle. */
async function recordFailure(pool: Pool, user: ApiUserRow, details: { address: string; failures: number }): Promise<void> {
  await withTransaction(pool, async (trx) => {
    const { applicationId, apiUserId } = user
    await appendAudit(trx, { applicationId, actor: SYSTEM_ACTOR, action: 'api_user.sign_in_failed', subject: apiUserId, details })
    return ok(undefined)
  })
}

/** Stores the first refresh token of a family, unless the password that was just checked is no longer the user's. */
async function keepToken(
  { pool, tokens }: TokenDeps,
  user: ApiUserRow,
): Promise<Result<{ tokenEpoch: number; refreshToken: string }, IssueFailure>> {
  const refreshToken = formatRefreshToken(user.applicationId)
  return withTransaction<{ tokenEpoch: number; refreshToken: string }, IssueFailure>(pool, async (trx) => {
    const current = await lockApiUser(trx, user.applicationId, user.apiUserId)
    if (current?.passwordHash !== user.passwordHash) return err({ kind: 'wrong_credentials' })
    const owner = { applicationId: user.applicationId, apiUserId: user.apiUserId, familyId: randomUUID() }
    await storeRefreshToken(trx, owner, refreshToken, tokens.clock.now())
    return ok({ tokenEpoch: current.tokenEpoch, refreshToken })
  })
}
