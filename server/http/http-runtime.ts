import type { Clock } from '#lib/time.ts'
import type { Config } from '../config.ts'
import type { Pool, Queryable } from '../database/pool.ts'
import type { Tokens } from '../identity/access-token.ts'
import type { Directory } from '../identity/directory.ts'
import type { SignInThrottle } from '../identity/sign-in-throttle.ts'
import type { Logger } from '../logger.ts'
import type { Connectors } from '../operators/connector.ts'
import type { ForcedQueryDesk } from '../operators/forced-query-desk.ts'
import type { CallbackDesk } from '../operators/handle-callback.ts'
import type { Intake } from '../transactions/intake.ts'
import type { Settler } from '../transactions/settle.ts'
import type { Wake } from '../transactions/wake.ts'
import type { AccessLog } from './access-log.ts'
import type { Metrics } from './metrics.ts'

/** What the endpoints need of the process: the part of its Runtime that this folder knows. */
export type HttpRuntime = {
  config: Pick<Config, 'trustedProxies' | 'metricsToken'>
  pool: Pool
  /** Where lists and totals are read: the replica where there is one, otherwise the pool. Nothing is decided from it. */
  reportPool: Queryable
  clock: Clock
  logger: Logger
  directory: Directory
  tokens: Tokens
  throttle: SignInThrottle
  intake: Pick<Intake, 'submit'>
  settler: Settler
  connectors: Connectors
  callbacks: CallbackDesk
  forcedQueries: ForcedQueryDesk
  metrics: Metrics
  wake: Wake
  /** Absent where request lines are switched off. */
  accessLog?: AccessLog
}
