import { isOverloaded } from '#server/database/batcher.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import { pathForLogs } from '#server/http/pay/pay-page.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { authenticate } from '../api/authenticate.ts'
import type { Endpoint } from '../api/endpoint.ts'
import { DATABASE_AWAY, errorResponse, INTERNAL_ERROR, OVERLOADED, type Refusal, refuse } from '../api/errors.ts'
import type { HttpRuntime } from '../api/http-runtime.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { type ApiResponse, JSON_TYPE } from '../request/api-response.ts'
import { findEndpoint } from './routes.ts'

/** The fields that the access log and the metrics record of a request besides the response. */
type Trace = { applicationId: string | undefined }

/**
 * Responds to one request: checks path and method, then calls the endpoint. Never throws. Every refusal has the five fields. Each
 * request is counted, and logged if the access log is on.
 */
export async function handleApiRequest(runtime: HttpRuntime, request: ApiRequest): Promise<ApiResponse> {
  const startedMs = performance.now()
  const endpoint = findEndpoint(request.path)
  const trace: Trace = { applicationId: undefined }
  let response: ApiResponse
  try {
    response = await respond(runtime, request, endpoint, trace)
  } catch (error) {
    response = respondToThrow(runtime, request, error)
  }
  const durationMs = performance.now() - startedMs
  runtime.metrics.countRequest(endpoint?.name ?? 'unknown', response.status, durationMs)
  runtime.accessLog?.({
    method: request.method,
    path: pathForLogs(request.path),
    status: response.status,
    durationMs,
    applicationId: trace.applicationId,
    peerAddress: request.peerAddress,
  })
  if (runtime.recentRequests && trace.applicationId !== undefined) {
    const { method, path, peerAddress } = request
    runtime.recentRequests.note({
      applicationId: trace.applicationId,
      method,
      path,
      status: response.status,
      address: peerAddress ?? 'unknown',
    })
  }
  return response
}

async function respond(runtime: HttpRuntime, request: ApiRequest, endpoint: Endpoint | undefined, trace: Trace): Promise<ApiResponse> {
  const refused = (refusal: Refusal) => errorResponse(refusal, request.path, runtime.clock)
  if (!endpoint) return refused(refuse(404, 'Endpoint not found.'))
  if (!allowsMethod(endpoint, request.method)) return refused(refuseMethod(endpoint))
  if (endpoint.kind === 'open') {
    const answer = await endpoint.respond(runtime, request)
    return answer.ok ? answer.value : refused(answer.error)
  }
  const caller = await authenticate(runtime, request)
  if (!caller.ok) return refused(caller.error)
  trace.applicationId = caller.value.application.applicationId
  const answer = await endpoint.answer({ runtime, request, caller: caller.value })
  if (!answer.ok && answer.error.status === 403) noteRefusal(runtime, request, endpoint, trace.applicationId, answer.error)
  return answer.ok ? { status: 200, body: answer.value, contentType: JSON_TYPE } : refused(answer.error)
}

/** Records the 403 of an endpoint itself: a service that is off, or a decision that the checker may not make. */
function noteRefusal(runtime: HttpRuntime, request: ApiRequest, { name }: Endpoint, applicationId: string, { message }: Refusal): void {
  const cause = name === 'validateTransaction' || name === 'rejectTransaction' ? 'decision_refused' : 'service_disabled'
  runtime.refusals.note({ applicationId, cause, address: request.peerAddress ?? 'unknown', subject: message })
}

/** HEAD is GET without a body, as HTTP requires. OPTIONS is not allowed, because no browser page calls this API. */
function allowsMethod(endpoint: Endpoint, method: string): boolean {
  return method === endpoint.method || method === otherMethodOf(endpoint)
}

function otherMethodOf(endpoint: Endpoint): 'HEAD' | 'PUT' | undefined {
  if (endpoint.method === 'GET') return 'HEAD'
  return endpoint.kind === 'open' ? endpoint.otherMethod : undefined
}

function refuseMethod(endpoint: Endpoint): Refusal {
  const other = otherMethodOf(endpoint)
  const allow = other === undefined ? endpoint.method : `${endpoint.method}, ${other}`
  return refuse(405, `The method must be ${endpoint.method} here.`, { allow })
}

function respondToThrow(runtime: HttpRuntime, request: ApiRequest, error: unknown): ApiResponse {
  if (isOverloaded(error)) return errorResponse(OVERLOADED, request.path, runtime.clock)
  reportUnexpected('api: request', error, {
    logger: runtime.logger,
    path: pathForLogs(request.path),
    method: request.method,
    message: 'A request failed unexpectedly',
  })
  return errorResponse(isDatabaseAway(error) ? DATABASE_AWAY : INTERNAL_ERROR, request.path, runtime.clock)
}
