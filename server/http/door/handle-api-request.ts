import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOverloaded } from '#server/database/batcher.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import type { Caller } from '#server/partner-auth/authenticate-caller.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { admitInPlaceOfProgram, authenticate, refuseScope } from '../api/authenticate.ts'
import { beginRecord, type CallTrace } from '../api/call-record.ts'
import type { Endpoint, HttpRuntime, PartnerEndpoint } from '../api/endpoint.ts'
import { DATABASE_AWAY, errorResponse, INTERNAL_ERROR, OVERLOADED, type Refusal, refuse } from '../api/errors.ts'
import { pathForLogs } from '../pay/pay-page.ts'
import { type ApiRequest, type ApiResponse, JSON_TYPE } from '../request/api-request.ts'
import type { PageNotes } from './pages/page-notes.ts'
import { findEndpoint } from './routes.ts'

/**
 * Responds to one request: checks path and method, then calls the endpoint. Never throws. Every refusal has the five fields. Each
 * request is counted, and logged if the access log is on. `personsCaller`: a person makes this call in place of the program that it names, and
 * the request has no credentials.
 */
export async function handleApiRequest(runtime: HttpRuntime, request: ApiRequest, personsCaller?: Caller): Promise<ApiResponse> {
  const startedMs = performance.now()
  const endpoint = ofMethod(findEndpoint(request.path), request.method)
  const trace: CallTrace = { applicationId: undefined, owner: undefined }
  const record =
    runtime.recentCalls && isRecorded(request.path, endpoint) ? beginRecord(runtime.recentCalls, request, new Date()) : undefined
  let response: ApiResponse
  const traced = isMonitoring(request.path) ? undefined : runtime.tracing?.beginRequest(request.header('traceparent'))
  try {
    const answer = () => respond(runtime, record?.request ?? request, { endpoint, trace, personsCaller })
    response = await (traced ? traced.run(answer) : answer())
  } catch (error) {
    response = respondToThrow(runtime, request, error)
  }
  const durationMs = performance.now() - startedMs
  runtime.metrics.countRequest(endpoint?.name ?? 'unknown', response.status, durationMs)
  traced?.end({
    method: request.method,
    endpoint: endpoint?.name ?? 'unknown',
    status: response.status,
    applicationId: trace.applicationId,
  })
  runtime.accessLog?.({
    method: request.method,
    path: pathForLogs(request.path),
    status: response.status,
    durationMs,
    applicationId: trace.applicationId,
    peerAddress: request.peerAddress,
  })
  record?.end(trace.owner, endpoint?.kind === 'open', response, durationMs)
  return response
}

/**
 * Calls of a partner's program: its endpoints, the tokens, and wrong paths below the API. Not the service's own pages and documents, nor the
 * calls that wait for webhooks, which would fill the list.
 */
function isRecorded(path: string, endpoint: Endpoint | undefined): boolean {
  if (endpoint?.isUnrecorded) return false
  return /^\/(?:api\/v[12]|public)(?:\/|$)/.test(path)
}

/** Balancers and Prometheus ask each second. */
function isMonitoring(path: string): boolean {
  return path.startsWith('/health') || path === '/metrics'
}

type Found = { endpoint: Endpoint | undefined; trace: CallTrace; personsCaller: Caller | undefined }

async function respond(runtime: HttpRuntime, request: ApiRequest, { endpoint, trace, personsCaller }: Found): Promise<ApiResponse> {
  const refused = (refusal: Refusal) => errorResponse(refusal, request.path, runtime.clock)
  if (!endpoint) return refused(refuse(404, 'endpoint_not_found', 'Endpoint not found.'))
  if (!allowsMethod(endpoint, request.method)) return refused(refuseMethod(endpoint))
  if (endpoint.kind === 'open') {
    const answer = await endpoint.respond(runtime, request, trace)
    return answer.ok ? answer.value : refused(answer.error)
  }
  const caller = personsCaller ? admitInPlaceOfProgram(personsCaller, trace) : await authenticate(runtime, request, trace)
  if (!caller.ok) return refused(caller.error)
  trace.applicationId = caller.value.application.applicationId
  if (!endpoint.isLimited) return answerPartner(runtime, request, endpoint, caller.value)
  const { headers, refusal } = runtime.requestLimit.take(trace.applicationId)
  const response = refusal ? refused(refusal) : await answerPartner(runtime, request, endpoint, caller.value)
  return { ...response, headers: { ...response.headers, ...headers } }
}

async function answerPartner(runtime: HttpRuntime, request: ApiRequest, endpoint: PartnerEndpoint, caller: Caller): Promise<ApiResponse> {
  const beyond = refuseScope(caller, endpoint.scope)
  if (beyond) return errorResponse(beyond, request.path, runtime.clock)
  const answer = await endpoint.answer({ runtime, request, caller })
  if (answer.ok) return typeof answer.value === 'string' ? { status: 200, body: answer.value, contentType: JSON_TYPE } : answer.value
  if (answer.error.status === 403) noteRefusal(runtime, request, endpoint, caller.application.applicationId, answer.error)
  return errorResponse(answer.error, request.path, runtime.clock)
}

/** Records the 403 of an endpoint itself: a service that is off, or a decision that the checker may not make. */
function noteRefusal(runtime: HttpRuntime, request: ApiRequest, { name }: Endpoint, applicationId: string, { message }: Refusal): void {
  const cause = name === 'validateTransaction' || name === 'rejectTransaction' ? 'decision_refused' : 'service_disabled'
  runtime.refusals.note({ applicationId, cause, address: request.peerAddress ?? 'unknown', subject: message })
}

/** A path that has two endpoints has one for each method. */
function ofMethod(endpoint: Endpoint | undefined, method: string): Endpoint | undefined {
  return endpoint?.besides?.method === method ? endpoint.besides : endpoint
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
  const besides = endpoint.besides?.method
  const allow = [endpoint.method, otherMethodOf(endpoint), besides].filter((method) => method !== undefined).join(', ')
  return refuse(405, 'method_not_allowed', `The method must be ${endpoint.method}${besides === undefined ? '' : ` or ${besides}`} here.`, {
    allow,
  })
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

/** The header of an action that Next's own client calls, which understands Next's response to a page that is older than this build. */
const ACTION_HEADER = 'next-action'
/** The pages that Next's client holds, as percent-encoded JSON. Next returns 500 if it is not that. */
const STATE_HEADER = 'next-router-state-tree'

/**
 * Changes three things in Next's response, before its first byte is sent.
 *
 * - A request that failed before our code was reached failed while Next read it: a form that is not multipart, an action with unreadable
 *   arguments, an unreadable router state. Next returns 500 with plain text; the client receives `refuse(status)` with a 4xx instead. This
 *   applies only to requests that contain such input. For any other request a 500 of Next is not replaced.
 * - A request that failed because the database is away gets `refuse(503)` instead of 500. Next's own client learns it from the answer to its
 *   action.
 * - A page that set a status in its notes gets that status instead of 200.
 *
 * Next decodes a body inside its own handler, before our code runs, and has no hook that sets a status.
 */
export function guardAnswer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  notes: PageNotes,
  refuse: (status: number) => ApiResponse,
): void {
  const original = { writeHead: outgoing.writeHead.bind(outgoing), write: outgoing.write.bind(outgoing), end: outgoing.end.bind(outgoing) }
  let isDecided = false
  let isReplaced = false

  /** Returns the status to send; undefined if the whole response was replaced. */
  function decide(status: number): number | undefined {
    if (isReplaced) return undefined
    if (isDecided || status < 200) return status
    isDecided = true
    const refused = refusedStatus(incoming, status, notes)
    if (refused === undefined) return status === 200 ? (notes.status ?? status) : status
    isReplaced = true
    for (const name of outgoing.getHeaderNames()) if (name !== 'connection') outgoing.removeHeader(name)
    const { headers, body, contentType, status: sent } = refuse(refused)
    original.writeHead(sent, { ...headers, 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) })
    original.end(incoming.method === 'HEAD' ? undefined : body)
    return undefined
  }

  // The three are overloaded, so their arguments are passed on unchanged.
  outgoing.writeHead = ((status: number, ...rest: []) => {
    const decided = decide(status)
    return decided === undefined ? outgoing : original.writeHead(decided, ...rest)
  }) as typeof outgoing.writeHead
  outgoing.write = ((...given: Parameters<typeof outgoing.write>) => {
    if (!outgoing.headersSent) setStatus()
    return isReplaced ? swallow(given) : original.write(...given)
  }) as typeof outgoing.write
  outgoing.end = ((...given: Parameters<typeof outgoing.end>) => {
    if (!outgoing.headersSent) setStatus()
    if (isReplaced) swallow(given)
    else original.end(...given)
    return outgoing
  }) as typeof outgoing.end

  function setStatus(): void {
    const decided = decide(outgoing.statusCode)
    if (decided !== undefined) outgoing.statusCode = decided
  }
}

/** Returns the status of the refusal that replaces a response of Next's own; undefined if the response is not replaced. */
function refusedStatus(incoming: IncomingMessage, status: number, notes: PageNotes): number | undefined {
  if (notes.isDatabaseAway && status >= 500 && incoming.headers[ACTION_HEADER] === undefined) return 503
  if (notes.isReached || status < 400 || incoming.url?.startsWith('/_next/')) return undefined
  if (status >= 500) return hasMoreThanAnAddress(incoming) ? 400 : undefined
  return incoming.headers[ACTION_HEADER] === undefined ? status : undefined
}

/** Returns true for a request of which Next reads more than its address: a body, or the state of its router. */
function hasMoreThanAnAddress({ method, headers }: IncomingMessage): boolean {
  return (method !== 'GET' && method !== 'HEAD') || headers[STATE_HEADER] !== undefined
}

/** Drops what Next still writes, and reports to Next that it was written. */
function swallow(given: readonly unknown[]): true {
  const written = given.findLast((each) => typeof each === 'function')
  if (written) queueMicrotask(() => written())
  return true
}
