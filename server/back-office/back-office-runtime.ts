import type { Clock } from '#lib/time/time.ts'
import type { AccountChecks } from '#server/account-checks/check-account.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { FileReader } from '#server/batches/read-file/file-reader.ts'
import type { BatchSubmitter } from '#server/batches/rows/start-rows.ts'
import type { Config } from '#server/config.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Metrics } from '#server/http/api/metrics.ts'
import { noteReached } from '#server/http/door/pages/page-notes.ts'
import type { Logger } from '#server/logger.ts'
import type { OperatorTests } from '#server/operators/settings/test-operator.ts'
import type { ForcedEnquiries } from '#server/operators/work/forced-enquiries.ts'
import { requireProcessWide, START_THE_SERVICE } from '#server/process-wide.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import type { Intake } from '#server/transactions/intake.ts'
import type { Settler, Wake } from '#server/transactions/transition.ts'
import type { GuardedSenders } from '#server/webhooks/send/send-webhook.ts'

/** The part of the Runtime that signing in and reading the actor need; the whole Runtime is in a layer above. */
type BackOfficeRuntime = {
  config: Pick<Config, 'publicUrl' | 'sessionSecret' | 'isSandbox' | 'dataDirectory' | 'mail' | 'singleSignOn'>
  pool: Pool
  /** The pool for lists, details and exports: the replica where there is one. Never used for decisions. */
  reportPool: Pool
  /** Starts what makers send, in the same batches as the API. */
  intake: Pick<Intake, 'submit'>
  /** The operators that this process can submit to. */
  connectors: Connected
  /** Applications with their fees, services and rules. */
  directory: Pick<Directory, 'find' | 'refresh'>
  settler: Settler
  wake: Wake
  metrics: Pick<Metrics, 'countOutcome'>
  forcedEnquiries: ForcedEnquiries
  operatorTests: OperatorTests
  accountChecks: AccountChecks
  /** Reads uploaded files in a thread. */
  fileReader: FileReader
  batchSubmitter: Pick<BatchSubmitter, 'wake'>
  /** The address of the simulated operators of a sandbox. */
  simulatorUrl: string | undefined
  /** Sends test events of webhooks. */
  testSenders: Pick<GuardedSenders, 'to'>
  /** One per process: the pace of checking passwords is kept in it. */
  throttle: SignInThrottle
  clock: Clock
  logger: Logger
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    backOfficeRuntime: BackOfficeRuntime
  }
}

/** Returns the runtime of this process. Throws where no process created one: pages are only served by `server/main.ts`. */
export function backOfficeRuntime(): BackOfficeRuntime {
  noteReached()
  return requireProcessWide('backOfficeRuntime', START_THE_SERVICE)
}
