import type { Clock } from '#lib/time/time.ts'
import { createAccountChecks } from '#server/account-checks/check-account.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { createFileReader, type FileReader } from '#server/batches/read-file/file-reader.ts'
import { createSignInThrottle, type SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createAccessLog } from '#server/http/api/access-log.ts'
import { createMetrics, type Metrics } from '#server/http/api/metrics.ts'
import { createRequestLimit } from '#server/http/api/request-limit.ts'
import type { Connectors } from '#server/operators/connector.ts'
import { createConnectors, type FollowingConnectors } from '#server/operators/create-connectors.ts'
import { type Callback, type CallbackIntake, createCallbackIntake } from '#server/operators/handle-callback.ts'
import { followSettings } from '#server/operators/settings/follow-settings.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { createAccessTokens } from '#server/operators/tokens/access-tokens.ts'
import { createTokens, type Tokens } from '#server/partner-auth/access-token.ts'
import { createIntake, type Intake, type IntakeItem } from '#server/transactions/intake.ts'
import { type BatchSubmitter, createBatchSubmitter } from './batches/rows/start-rows.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { openPools, type Pool } from './database/pool.ts'
import type { HttpRuntime } from './http/api/endpoint.ts'
import type { Logger } from './logger.ts'
import { createOperatorTests, type OperatorTests } from './operators/settings/test-operator.ts'
import type { Dispatcher } from './operators/work/dispatch/dispatcher.ts'
import { createForcedEnquiries, FORCED_CALLS_MAX, type ForcedEnquiries } from './operators/work/forced-enquiries.ts'
import { closeCallerRecords, createCallerRecords } from './partner-auth/caller-records.ts'
import { setProcessWide } from './process-wide.ts'
import type { Tracing } from './tracing/tracing.ts'
import { createSettler, type Settler, type WrittenWebhooks } from './transactions/transition.ts'
import { UnansweredStarts } from './transactions/unanswered-starts.ts'
import type { DeliveryLoop } from './webhooks/delivery-loop.ts'
import { createGuardedSenders, type GuardedSenders } from './webhooks/send/send-webhook.ts'

/** Everything that lives as long as the process and is shared by all it does. */
export type Runtime = HttpRuntime & {
  config: Config
  pool: Pool
  /** For lists, totals and exports: connections of their own. Money is never decided from it. */
  reportPool: Pool
  clock: Clock
  logger: Logger
  directory: Directory
  tokens: Tokens
  throttle: SignInThrottle
  intake: Intake
  unansweredStarts: UnansweredStarts
  settler: Settler
  connectors: FollowingConnectors
  callbacks: CallbackIntake
  forcedEnquiries: ForcedEnquiries
  operatorTests: OperatorTests
  fileReader: FileReader
  batchSubmitter: BatchSubmitter
  /** The address of the simulated operators, which have a phone for testers; undefined without a simulator. */
  simulatorUrl: string | undefined
  /** Sends single requests to addresses that people chose: test events of webhooks, events, and notifications to push services. */
  testSenders: GuardedSenders
  metrics: Metrics
  /** Has new transactions submitted by the dispatcher of this process, if it has one, and wakes it when something is due. */
  submitThrough(dispatcher: RuntimeDispatcher): void
  /** The same for webhooks and the delivery loop of this process. */
  deliverThrough(deliveries: RuntimeDeliveries): void
  /** Ends in order what was accepted, then the connections. */
  close(): Promise<void>
}

type RuntimeDispatcher = Pick<Dispatcher, 'wake' | 'wakeQueries' | 'reserveSlots' | 'settleByCallback'>

type RuntimeDeliveries = Pick<DeliveryLoop, 'wake' | 'claimWritten' | 'deliver'>

type RuntimeOptions = {
  config: Config
  databaseUrl: string
  logger: Logger
  /** Of operators that have no settings in the database. */
  operatorDefaults: readonly OperatorSettings[]
  /** The address of the simulated operators, in a sandbox. */
  simulatorUrl?: string | undefined
}

/** Composes the one Runtime of this process and publishes it for the pages, which Next bundles apart from these modules. */
export async function createRuntime({ config, databaseUrl, logger, operatorDefaults, simulatorUrl }: RuntimeOptions): Promise<Runtime> {
  const clock = systemClock
  const metrics = createMetrics()
  metrics.addCrashes(config.crashes)
  const { pool, reportPool } = openPools({ ...config, databaseUrl })
  const directory = await createDirectory({ pool })
  const { submitThrough, wakeOperators, wakeQueries, reserveSlots, settleByCallback } = linkDispatcher()
  const tracing = config.traces && (await startTracing(config.traces, metrics))
  const unansweredStarts = new UnansweredStarts()
  const plainIntake = createIntake({ pool, reserveSlots, unansweredStarts, onBatch: (size) => metrics.observeBatch('intake', size) })
  const intake = tracing?.traceIntake(plainIntake) ?? plainIntake
  const { deliverThrough, wakeWebhooks, ...webhooks } = linkDeliveries()
  const plainSettler = createSettler({ pool, ...webhooks, onBatch: (size) => metrics.observeBatch('settlement', size) })
  const settler = tracing?.traceSettler(plainSettler) ?? plainSettler
  const { connectors, forcedConnectors, following } = await connectOperators({ pool, config, clock, logger, operatorDefaults })
  const callbacks = createCallbackIntake({
    pool,
    connectors,
    logger,
    wake: wakeQueries,
    settleByCallback,
    onOutcome: (outcome) => metrics.countOutcome('operator', `callback ${outcome}`),
  })
  const forcedEnquiries = createForcedEnquiries({
    pool,
    settler,
    logger,
    connectors: forcedConnectors,
    onOutcome: (outcome) => metrics.countOutcome('operator', `forced enquiry ${outcome}`),
  })
  addGauges({ metrics, intake, pool, reportPool })
  const tokens = createTokens({ clock, secret: config.tokenSecret })
  const runtime: Runtime = {
    config,
    pool,
    reportPool,
    clock,
    logger,
    directory,
    intake,
    unansweredStarts,
    settler,
    tracing,
    connectors,
    callbacks,
    forcedEnquiries,
    ...createOperatorChecks({ pool, connectors: forcedConnectors, clock, logger }),
    fileReader: createFileReader(),
    batchSubmitter: createBatchSubmitter({ pool, intake, connectors, directory }),
    simulatorUrl,
    testSenders: createGuardedSenders({ allowsPrivateTargets: config.isSandbox, idleConnectionsMax: 0 }),
    requestLimit: createRequestLimit(),
    metrics,
    tokens,
    ...createCallerRecords({ pool, tokens, directory, isSandbox: config.isSandbox }),
    throttle: createSignInThrottle({ pool, clock, secret: config.sessionSecret }),
    accessLog: createAccessLog(config.logLevel),
    wake: { operators: wakeOperators, webhooks: wakeWebhooks },
    submitThrough,
    deliverThrough,
    close: () => following.close().then(() => closeRuntime(runtime)),
  }
  return publish(runtime)
}

function publish(runtime: Runtime): Runtime {
  setProcessWide('httpRuntime', runtime)
  setProcessWide('backOfficeRuntime', runtime)
  return runtime
}

/** Loaded only where traces are wanted: elsewhere they cost neither memory nor time. */
async function startTracing(traces: NonNullable<Config['traces']>, metrics: Metrics): Promise<Tracing> {
  const { createTracing } = await import('./tracing/tracing.ts')
  const tracing = createTracing(traces)
  metrics.addGauge('dropped_spans', 'Spans that the collector did not take', tracing.dropped)
  return tracing
}

/** The methods of the dispatcher that the parts of the Runtime call; it is created after them and not in every process. */
function linkDispatcher() {
  let dispatcher: RuntimeDispatcher | undefined
  return {
    submitThrough(submitter: RuntimeDispatcher): void {
      dispatcher = submitter
    },
    wakeOperators: () => dispatcher?.wake(),
    wakeQueries: () => dispatcher?.wakeQueries(),
    reserveSlots: (items: readonly IntakeItem[]) => dispatcher?.reserveSlots(items),
    settleByCallback: (callback: Callback) => dispatcher?.settleByCallback(callback),
  }
}

/** The same for the delivery loop. */
function linkDeliveries() {
  let deliveries: RuntimeDeliveries | undefined
  return {
    deliverThrough(loop: RuntimeDeliveries): void {
      deliveries = loop
    },
    wakeWebhooks: () => deliveries?.wake(),
    claimWebhooks: () => deliveries?.claimWritten(),
    onWebhooks: (written: WrittenWebhooks) => deliveries?.deliver(written),
  }
}

/** The connectors of the loops and those of forced enquiries, which have connections of their own; both follow the stored settings. */
async function connectOperators({
  pool,
  config,
  clock,
  logger,
  operatorDefaults,
}: Pick<Runtime, 'pool' | 'config' | 'clock' | 'logger'> & Pick<RuntimeOptions, 'operatorDefaults'>) {
  const connecting = { callbackBaseUrl: config.publicUrl, tokens: createAccessTokens(pool), clock, logger }
  const connectors = createConnectors(connecting)
  const forcedConnectors = createConnectors({ ...connecting, connectionsMax: FORCED_CALLS_MAX })
  const following = await followSettings({
    pool,
    defaults: operatorDefaults,
    onChange(settings) {
      connectors.follow(settings)
      forcedConnectors.follow(settings)
    },
  })
  return { connectors, forcedConnectors, following }
}

/** Calls at a person's request, on connections of their own. */
function createOperatorChecks(deps: Pick<Runtime, 'pool' | 'clock' | 'logger'> & { connectors: Connectors }) {
  const nowMs = () => performance.now()
  return { operatorTests: createOperatorTests({ ...deps, nowMs }), accountChecks: createAccountChecks({ ...deps, nowMs }) }
}

/** In the order in which the parts use each other. */
async function closeRuntime(runtime: Runtime): Promise<void> {
  await runtime.batchSubmitter.drain()
  await runtime.intake.drain()
  await runtime.forcedEnquiries.close()
  await runtime.settler.drain()
  await runtime.connectors.close()
  await closeCallerRecords(runtime)
  runtime.testSenders.close()
  await runtime.directory.close()
  await runtime.tracing?.close()
  await runtime.reportPool.end()
  await runtime.pool.end()
}

function addGauges({ metrics, intake, pool, reportPool }: Pick<Runtime, 'metrics' | 'intake' | 'pool' | 'reportPool'>): void {
  metrics.addGauge('intake_waiting', 'Transactions that wait for a batch', intake.waiting)
  metrics.addGauge('database_connections', 'Open connections to the database', () => pool.totalCount)
  metrics.addGauge('database_waiting', 'Statements that wait for a connection', () => pool.waitingCount)
  metrics.addGauge('report_connections', 'Open connections of lists, totals and exports', () => reportPool.totalCount)
  metrics.addGauge('report_waiting', 'Reports that wait for a connection', () => reportPool.waitingCount)
}
