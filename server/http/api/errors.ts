import { STATUS_CODES } from 'node:http'
import type { ErrorBody } from '#lib/schemas/responses.ts'
import type { Clock } from '#lib/time/time.ts'
import { type ApiResponse, JSON_TYPE } from '../request/api-request.ts'

/** Why a request is refused: everything in an error response except the time and the path. */
export type Refusal = { status: number; message: string; headers?: Readonly<Record<string, string>> }

/** Returns a refusal as a value, for `err(refuse(400, …))`. */
export function refuse(status: number, message: string, headers?: Readonly<Record<string, string>>): Refusal {
  return headers ? { status, message, headers } : { status, message }
}

/** One message for every wrong credential, so that it does not tell which one is wrong. */
export const UNAUTHENTICATED = refuse(
  401,
  'The credentials are missing, invalid or expired: apiKey, apiId and Authorization with a Bearer token are all required.',
  { 'www-authenticate': 'Bearer' },
)

export const INTERNAL_ERROR = refuse(500, 'An internal error occurred. Retry the request later.')

export const OVERLOADED = refuse(503, 'The service is overloaded. Nothing was started; retry the same request.', {
  'retry-after': '1',
})

export const DATABASE_AWAY = refuse(
  503,
  'The database did not answer, so the outcome of this request is unknown. Repeat it with the same externalId: nothing is started twice.',
  { 'retry-after': '1' },
)

/** Returns the five fields of every error. */
export function errorBody(refusal: Refusal, path: string, clock: Clock): string {
  const body: ErrorBody = {
    timestamp: clock.now().toISOString(),
    status: refusal.status,
    error: STATUS_CODES[refusal.status] ?? 'Error',
    message: refusal.message,
    path,
  }
  return JSON.stringify(body)
}

/** Returns the complete error response. */
export function errorResponse(refusal: Refusal, path: string, clock: Clock): ApiResponse {
  return { status: refusal.status, body: errorBody(refusal, path, clock), contentType: JSON_TYPE, headers: refusal.headers }
}
