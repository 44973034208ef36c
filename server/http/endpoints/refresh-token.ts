import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems, parseFields } from '#lib/schemas/problems.ts'
import { refreshTokenRequestSchema } from '#lib/schemas/tokens.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { addressOwner, BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import type { ApiResponse } from '#server/http/request/api-response.ts'
import { exchangeRefreshToken, type RefreshFailure } from '#server/partner-auth/exchange-refresh-token.ts'
import { APPLICATION_DISABLED, tokenResponse, USER_BLOCKED } from './access-token.ts'

/** POST /public/refresh_token: returns a new pair of tokens for a refresh token. */
export const refreshToken: OpenEndpoint = {
  kind: 'open',
  name: 'refresh_token',
  method: 'POST',
  path: '/public/refresh_token',
  async respond(runtime, request): Promise<Result<ApiResponse, Refusal>> {
    const body = await readJsonBody(request, BODY_BYTES_MAX, addressOwner(request))
    if (!body.ok) return body
    const parsed = parseFields(refreshTokenRequestSchema, body.value)
    if (!parsed.ok) return err(refuse(400, joinProblems(parsed.error)))
    const refreshed = await exchangeRefreshToken(runtime, parsed.value)
    return refreshed.ok ? ok(tokenResponse(refreshed.value)) : err(refuseRefresh(refreshed.error))
  },
}

/** Returns the response to a refresh token that is not exchanged. */
export function refuseRefresh(failure: RefreshFailure): Refusal {
  switch (failure) {
    case 'invalid_token':
      return refuse(401, 'The refresh token is invalid, expired or used up. Sign in again with the password.')
    case 'throttled':
      return refuse(429, 'Too many token exchanges are in progress. Try again in 1 s.', { 'retry-after': '1' })
    case 'user_blocked':
      return USER_BLOCKED
    case 'application_disabled':
      return APPLICATION_DISABLED
  }
}
