import type { z } from 'zod'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import type { Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import type { AccountChecks } from '#server/account-checks/check-account.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { BatchSubmitter } from '#server/batches/rows/start-rows.ts'
import type { Config } from '#server/config.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import type { Connectors } from '#server/operators/connector.ts'
import type { CallbackIntake } from '#server/operators/handle-callback.ts'
import type { ForcedEnquiries } from '#server/operators/work/forced-enquiries.ts'
import type { Tokens } from '#server/partner-auth/access-token.ts'
import type { Caller } from '#server/partner-auth/authenticate-caller.ts'
import type { CallerRecords } from '#server/partner-auth/caller-records.ts'
import type { Tracing } from '#server/tracing/tracing.ts'
import type { Intake } from '#server/transactions/intake.ts'
import type { Settler, Wake } from '#server/transactions/transition.ts'
import type { UnansweredStarts } from '#server/transactions/unanswered-starts.ts'
import type { ApiRequest, ApiResponse } from '../request/api-request.ts'
import type { AccessLog } from './access-log.ts'
import type { CallTrace } from './call-record.ts'
import type { Refusal } from './errors.ts'
import type { Metrics } from './metrics.ts'
import { readQuery } from './read-query.ts'
import type { RequestLimit } from './request-limit.ts'

/** A call whose credentials, address, user and application have been checked. */
export type Call = { runtime: HttpRuntime; request: ApiRequest; caller: Caller }

/** An endpoint for partners: it requires the three credentials and returns JSON text, or a whole response where it has another format. */
export type PartnerEndpoint = {
  kind: 'partner'
  name: string
  method: 'GET' | 'POST'
  path: string
  /** The scope that a limited key must have. */
  scope: ApiScope
  /** Each request is taken from the allowance of its application, and its answer says what is left of it. Of version 2. */
  isLimited?: true
  /** The endpoint of the other method at the same path. */
  besides?: PartnerEndpoint
  /** Its calls are not in the list of calls of a sandbox. */
  isUnrecorded?: boolean
  answer(call: Call): Promise<Result<string | ApiResponse, Refusal>>
}

/** An endpoint without these credentials: tokens, health, metrics, documentation, callbacks of operators. */
export type OpenEndpoint = {
  kind: 'open'
  name: string
  method: 'GET' | 'POST'
  /** A second method that means the same. */
  otherMethod?: 'PUT'
  /** The endpoint of the other method at the same path. */
  besides?: OpenEndpoint
  path: string
  isUnrecorded?: boolean
  /** Notes in `trace` whose call it is, if it finds out. */
  respond(runtime: HttpRuntime, request: ApiRequest, trace: CallTrace): Promise<Result<ApiResponse, Refusal>>
}

export type Endpoint = PartnerEndpoint | OpenEndpoint

/** The path below which all endpoints for partners are. */
export const TRANSACTION_PATH = '/api/v1/transaction'

/** Defines an endpoint for partners by the last part of its path, which is its name. */
export function partnerEndpoint(
  method: 'GET' | 'POST',
  name: string,
  scope: ApiScope,
  answer: (call: Call) => Promise<Result<string, Refusal>>,
): PartnerEndpoint {
  return { kind: 'partner', name, scope, method, path: `${TRANSACTION_PATH}/${name}`, answer }
}

/** Defines an endpoint for partners whose parameters are in the query string. A wrong parameter is a 400 that names it. */
export function queryEndpoint<Schema extends z.ZodType>(
  method: 'GET' | 'POST',
  name: string,
  scope: ApiScope,
  schema: Schema,
  answer: (query: z.output<Schema>, call: Call) => Promise<Result<string, Refusal>>,
): PartnerEndpoint {
  return partnerEndpoint(method, name, scope, async (call) => {
    const query = readQuery(call.request, schema)
    return query.ok ? answer(query.value, call) : query
  })
}

/** The part of the process's Runtime that the endpoints use. */
export type HttpRuntime = CallerRecords & {
  config: Pick<Config, 'trustedProxies' | 'metricsToken' | 'isSandbox'>
  pool: Pool
  /** The pool for lists and totals: the replica if there is one, otherwise the pool. Never used for decisions. */
  reportPool: Queryable
  clock: Clock
  logger: Logger
  directory: Directory
  tokens: Tokens
  throttle: SignInThrottle
  intake: Pick<Intake, 'submit'>
  unansweredStarts: UnansweredStarts
  batchSubmitter: Pick<BatchSubmitter, 'wake'>
  settler: Settler
  connectors: Connectors
  callbacks: CallbackIntake
  forcedEnquiries: ForcedEnquiries
  accountChecks: AccountChecks
  requestLimit: RequestLimit
  metrics: Metrics
  wake: Wake
  /** Absent if traces are off. */
  tracing?: Tracing | undefined
  /** Absent if the access log is off. */
  accessLog?: AccessLog
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    httpRuntime: HttpRuntime
  }
}
