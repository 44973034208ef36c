import type { Result } from '#lib/result.ts'
import type { Caller } from '#server/partner-auth/authenticate-caller.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { ApiResponse } from '../request/api-response.ts'
import type { Refusal } from './errors.ts'
import type { HttpRuntime } from './http-runtime.ts'

/** A call whose credentials, address, user and application have been checked. */
export type Call = { runtime: HttpRuntime; request: ApiRequest; caller: Caller }

/** An endpoint for partners: it requires the three credentials and returns JSON text. */
export type PartnerEndpoint = {
  kind: 'partner'
  name: string
  method: 'GET' | 'POST'
  path: string
  answer(call: Call): Promise<Result<string, Refusal>>
}

/** An endpoint without these credentials: tokens, health, metrics, documentation, callbacks of operators. */
export type OpenEndpoint = {
  kind: 'open'
  name: string
  method: 'GET' | 'POST'
  /** A second method that means the same. */
  otherMethod?: 'PUT'
  path: string
  respond(runtime: HttpRuntime, request: ApiRequest): Promise<Result<ApiResponse, Refusal>>
}

export type Endpoint = PartnerEndpoint | OpenEndpoint

/** The path below which all endpoints for partners are. */
export const TRANSACTION_PATH = '/api/v1/transaction'
