import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems, parseFields } from '#lib/schemas/fields.ts'
import { accessTokenRequestSchema, refreshTokenRequestSchema } from '#lib/schemas/queries.ts'
import type { KnownOwner } from '#server/partner-auth/recent-calls.ts'
import { exchangeRefreshToken, type IssueFailure, issueTokens, type RefreshFailure, type TokenPair } from '#server/partner-auth/tokens.ts'
import type { CallTrace } from '../api/call-record.ts'
import type { OpenEndpoint } from '../api/endpoint.ts'
import { type Refusal, refuse } from '../api/errors.ts'
import { addressOwner, BODY_BYTES_MAX, readJsonBody } from '../api/read-json-body.ts'
import { type ApiResponse, jsonResponse } from '../request/api-request.ts'

/** POST /public/access_token: returns a pair of tokens for a user name and password. */
export const accessToken: OpenEndpoint = {
  kind: 'open',
  name: 'access_token',
  method: 'POST',
  path: '/public/access_token',
  async respond(runtime, request, trace): Promise<Result<ApiResponse, Refusal>> {
    const body = await readJsonBody(request, BODY_BYTES_MAX, addressOwner(request))
    if (!body.ok) return body
    const parsed = parseFields(accessTokenRequestSchema, body.value)
    if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
    const issued = await issueTokens(runtime, { ...parsed.value, peerAddress: request.peerAddress ?? 'unknown', onOwner: noteIn(trace) })
    return issued.ok ? ok(tokenResponse(issued.value)) : err(refuseIssue(issued.error))
  },
}

function noteIn(trace: CallTrace): (owner: KnownOwner) => void {
  return (owner) => {
    trace.owner = owner
  }
}

/** Returns the four fields of a token response. */
function tokenResponse(pair: TokenPair): ApiResponse {
  return jsonResponse(
    JSON.stringify({
      access_token: pair.accessToken,
      refresh_token: pair.refreshToken,
      token_type: 'Bearer',
      expires_in: pair.expiresInSeconds,
    }),
  )
}

const USER_BLOCKED = refuse(403, 'user_blocked', 'The user account is blocked.')
export const APPLICATION_DISABLED = refuse(403, 'application_disabled', 'The application is disabled.')

/** Returns the response to a user name and password for which no tokens are issued. */
export function refuseIssue(failure: IssueFailure): Refusal {
  switch (failure.kind) {
    case 'wrong_credentials':
      return refuse(401, 'wrong_password', 'Invalid username or password.')
    case 'throttled': {
      const seconds = Math.max(1, Math.ceil(failure.retryAfterMs / 1_000))
      return refuse(429, 'too_many_attempts', `Too many attempts. Try again in ${seconds} s.`, { 'retry-after': String(seconds) })
    }
    case 'user_blocked':
      return USER_BLOCKED
    case 'application_disabled':
      return APPLICATION_DISABLED
  }
}

/** POST /public/refresh_token: returns a new pair of tokens for a refresh token. */
export const refreshToken: OpenEndpoint = {
  kind: 'open',
  name: 'refresh_token',
  method: 'POST',
  path: '/public/refresh_token',
  async respond(runtime, request, trace): Promise<Result<ApiResponse, Refusal>> {
    const body = await readJsonBody(request, BODY_BYTES_MAX, addressOwner(request))
    if (!body.ok) return body
    const parsed = parseFields(refreshTokenRequestSchema, body.value)
    if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
    const refreshed = await exchangeRefreshToken(runtime, { ...parsed.value, onOwner: noteIn(trace) })
    return refreshed.ok ? ok(tokenResponse(refreshed.value)) : err(refuseRefresh(refreshed.error))
  },
}

/** Returns the response to a refresh token that is not exchanged. */
export function refuseRefresh(failure: RefreshFailure): Refusal {
  switch (failure) {
    case 'invalid_token':
      return refuse(401, 'wrong_refresh_token', 'The refresh token is invalid, expired or used up. Sign in again with the password.')
    case 'throttled':
      return refuse(429, 'too_many_exchanges', 'Too many token exchanges are in progress. Try again in 1 s.', { 'retry-after': '1' })
    case 'user_blocked':
      return USER_BLOCKED
    case 'application_disabled':
      return APPLICATION_DISABLED
  }
}
