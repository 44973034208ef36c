import type { Clock } from '#lib/time.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { Config } from '#server/config.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import type { AccessLog } from '#server/http/api/access-log.ts'
import type { Logger } from '#server/logger.ts'
import type { Connectors } from '#server/operators/connector.ts'
import type { ForcedQueries } from '#server/operators/forced-queries.ts'
import type { CallbackIntake } from '#server/operators/handle-callback.ts'
import type { Tokens } from '#server/partner-auth/access-token.ts'
import type { CallerRecords } from '#server/partner-auth/create-caller-records.ts'
import type { Intake } from '#server/transactions/intake.ts'
import type { Settler } from '#server/transactions/settle.ts'
import type { Wake } from '#server/transactions/wake.ts'
import type { Metrics } from './metrics.ts'

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
  settler: Settler
  connectors: Connectors
  callbacks: CallbackIntake
  forcedQueries: ForcedQueries
  metrics: Metrics
  wake: Wake
  /** Absent if the access log is off. */
  accessLog?: AccessLog
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    httpRuntime: HttpRuntime
  }
}
