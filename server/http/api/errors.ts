import { STATUS_CODES } from 'node:http'
import type { ErrorCode } from '#lib/schemas/api/error-codes.ts'
import type { CodedErrorBody, ErrorBody } from '#lib/schemas/api/responses.ts'
import type { Clock } from '#lib/time/time.ts'
import { type ApiResponse, JSON_TYPE } from '../request/api-request.ts'

/** Why a request is refused: everything in an error response except the time and the path. */
export type Refusal = { status: number; code: ErrorCode; message: string; headers?: Readonly<Record<string, string>> }

/** Returns a refusal as a value, for `err(refuse(400, 'fields_invalid', …))`. */
export function refuse(status: number, code: ErrorCode, message: string, headers?: Readonly<Record<string, string>>): Refusal {
  return headers ? { status, code, message, headers } : { status, code, message }
}

/** One message for every wrong credential, so that it does not tell which one is wrong. */
export const UNAUTHENTICATED = refuse(
  401,
  'unauthenticated',
  'The credentials are missing, invalid or expired: apiKey, apiId and Authorization with a Bearer token are all required.',
  { 'www-authenticate': 'Bearer' },
)

export const INTERNAL_ERROR = refuse(500, 'internal_error', 'An internal error occurred. Retry the request later.')

export const OVERLOADED = refuse(503, 'overloaded', 'The service is overloaded. Nothing was started; retry the same request.', {
  'retry-after': '1',
})

export const DATABASE_AWAY = refuse(
  503,
  'database_unavailable',
  'The database did not answer, so the outcome of this request is unknown. Repeat it with the same externalId: nothing is started twice.',
  { 'retry-after': '1' },
)

/** Below this path an error has a code. Version 1 has the five fields that were published, and clients were generated from them. */
const CODED_PATH = '/api/v2/'

/** Returns the five fields of every error, and its code in version 2. */
export function errorBody(refusal: Refusal, path: string, clock: Clock): string {
  const body: ErrorBody = {
    timestamp: clock.now().toISOString(),
    status: refusal.status,
    error: STATUS_CODES[refusal.status] ?? 'Error',
    message: refusal.message,
    path,
  }
  if (!`${path}/`.startsWith(CODED_PATH)) return JSON.stringify(body)
  const coded: CodedErrorBody = { ...body, code: refusal.code }
  return JSON.stringify(coded)
}

/** Returns the complete error response. */
export function errorResponse(refusal: Refusal, path: string, clock: Clock): ApiResponse {
  return { status: refusal.status, body: errorBody(refusal, path, clock), contentType: JSON_TYPE, headers: refusal.headers }
}
