import type { Result } from '#lib/result.ts'
import type { Caller } from '#server/partner-auth/authenticate-caller.ts'
import type { ApiRequest } from './api-request.ts'
import type { ApiResponse } from './api-response.ts'
import type { Refusal } from './errors.ts'
import type { HttpRuntime } from './http-runtime.ts'

/** A call that has passed the credentials, the address, the user and the application. */
export type Call = { runtime: HttpRuntime; request: ApiRequest; caller: Caller }

/** An endpoint of the specification: it wants the three credentials and answers JSON text. */
export type PartnerEndpoint = {
  kind: 'partner'
  name: string
  method: 'GET' | 'POST'
  path: string
  answer(call: Call): Promise<Result<string, Refusal>>
}

/** Everything else on this port: tokens, health, metrics, documentation, callbacks of operators. */
export type OpenEndpoint = {
  kind: 'open'
  name: string
  method: 'GET' | 'POST'
  path: string
  respond(runtime: HttpRuntime, request: ApiRequest): Promise<Result<ApiResponse, Refusal>>
}

export type Endpoint = PartnerEndpoint | OpenEndpoint

/** Where all endpoints of the specification live. */
export const TRANSACTION_PATH = '/api/v1/transaction'
