import { randomBytes, randomUUID } from 'node:crypto'
import type { RefusalCause } from '#lib/partner/partner-requests.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type Directory, makeEpochKnown } from '#server/applications/directory.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { recordAct } from '#server/audit/run-command.ts'
import { createFairLimiter } from '#server/credentials/fair-limiter.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { SignInFailure, SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { ACCESS_TOKEN_SECONDS, type Tokens } from './access-token.ts'
import type { KnownOwner } from './recent-calls.ts'
import type { RefusalLog } from './refusals.ts'
import {
  type ApiUserRow,
  deleteTokensExpiredBefore,
  findApiUser,
  findRefreshToken,
  insertRefreshToken,
  lockApiUser,
  lockOwnerOf,
  markReplaced,
  type RefreshTokenRow,
  raiseTokenEpoch,
  revokeFamily,
} from './token-store.ts'

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

/** Called with the application of a call, also of one that is refused: for records of the call, never for its answer. */
type OnOwner = (owner: KnownOwner) => void

/**
 * POST /public/access_token: exchanges user name and password for tokens. An unknown name costs and
 * answers the same as a wrong password (401), too many wrong ones are `throttled` (429). A blocked user and a disabled application are
 * reported (403) only for the correct password.
 */
export async function issueTokens(
  deps: TokenDeps,
  request: { username: string; password: string; peerAddress: string; onOwner?: OnOwner },
): Promise<Result<TokenPair, IssueFailure>> {
  const { pool, tokens, directory, throttle } = deps
  let named: ApiUserRow | undefined
  const refuse = (failure: IssueFailure, cause: RefusalCause): Result<TokenPair, IssueFailure> => {
    const { username: subject, peerAddress: address } = request
    if (!named) return err(failure)
    const { applicationId } = named
    deps.refusals?.note({ applicationId, cause, address, subject })
    request.onOwner?.({ applicationId, cause, isProven: cause !== 'wrong_password' })
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
  request.onOwner?.({ applicationId: user.applicationId, isProven: true })
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
  const { applicationId, apiUserId } = user
  await recordAct(pool, { applicationId, actor: SYSTEM_ACTOR }, { action: 'api_user.sign_in_failed', subject: apiUserId, details })
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
  request: { refreshToken: string; onOwner?: OnOwner },
): Promise<Result<TokenPair, RefreshFailure>> {
  const { pool, tokens, directory } = deps
  const place = locateRefreshToken(request.refreshToken)
  if (!place) return err('invalid_token')
  const application = directory.find(place.applicationId)
  // An invented token: refused without a database query.
  if (!application) return err('invalid_token')
  // The token only names the application; that it was issued is known once it was found.
  request.onOwner?.({ applicationId: place.applicationId, isProven: false })
  const presented = { ...place, refreshToken: request.refreshToken }
  const result = await runTokenWork<Result<Exchange, never>>(place.applicationId, place.tokenHash.toString('base64'), async () => {
    if (!(await findRefreshToken(pool, place.applicationId, place.tokenHash))) return ok(INVALID)
    // A refusal is a value here, not a failure: the end of a family must be committed.
    return withTransaction(pool, async (trx) => ok(await exchange(trx, tokens, presented, !application.isEnabled)))
  })
  if (!result) return err('throttled')
  if (!result.ok) return result
  if (result.value.kind === 'refused') return err(result.value.failure)
  request.onOwner?.({ applicationId: place.applicationId, isProven: true })
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

/** How long a refresh token is valid: 30 days. */
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000
/** How long a replaced token still returns its successor: the first answer may have been lost. */
const REPLACED_GRACE_MS = 30_000
/** Refresh tokens stored per user: repeated sign-ins of a program remove only its own oldest. */
const TOKENS_MAX = 50
const TOKEN = /^[A-Za-z0-9_-]{64}$/

/** The text of a refresh token: 16 bytes that name the application it is stored in, then 32 random ones. */
export function formatRefreshToken(applicationId: string, bytes: Buffer = randomBytes(32)): string {
  return Buffer.concat([Buffer.from(applicationId.replaceAll('-', ''), 'hex'), bytes]).toString('base64url')
}

/** Stores the digest of a refresh token and removes the user's oldest tokens beyond the limit. */
async function storeRefreshToken(
  trx: Queryable,
  owner: { applicationId: string; apiUserId: string; familyId: string },
  token: string,
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + REFRESH_TOKEN_MS)
  await insertRefreshToken(trx, { ...owner, tokenHash: digest(token), createdAt: now, expiresAt }, TOKENS_MAX)
}

/** Returns the application that stores a refresh token, and its digest; undefined if the text cannot be one. */
function locateRefreshToken(token: string): { applicationId: string; tokenHash: Buffer } | undefined {
  if (!TOKEN.test(token)) return undefined
  const hex = Buffer.from(token, 'base64url').subarray(0, 16).toString('hex')
  const applicationId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { applicationId, tokenHash: digest(token) }
}

/** Removes tokens a day after their end. For the scheduled cleaning. Returns how many. */
export function pruneRefreshTokens(queryable: Queryable, now: Date): Promise<number> {
  return deleteTokensExpiredBefore(queryable, new Date(now.getTime() - 24 * 3_600_000))
}

/**
 * Storing and exchanging tokens locks the user's row: those who wait for it would hold the connections that payments need.
 * They wait here instead, and applications take turns.
 */
const gate = createFairLimiter({ concurrency: 4, levelMax: [4_000, 1_000] })

/** Runs a transaction on tokens of an application when its turn comes; undefined when too many wait, or for too long. */
function runTokenWork<Value>(applicationId: string, subject: string, work: () => Promise<Value>): Promise<Value | undefined> {
  return gate.run({ isReserved: false, path: [applicationId, subject], paces: [] }, work)
}
