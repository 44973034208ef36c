import { z } from 'zod'
import { type Config, loadConfig, processEnvironment, publishForNext } from '#server/config.ts'
import { createLogger, type Logger } from '#server/logger.ts'
import { type OperatorSettings, operatorSettingsSchema } from '#server/operators/settings/operator-settings.ts'
import { reportUnexpected, setProcessLogger } from '#server/report-unexpected.ts'
import { createRuntime, type Runtime } from '#server/runtime.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { reportProcess } from '../report-process.ts'
import { createShutdown, type Shutdown } from '../start/shutdown.ts'
import { startMonitoring } from '../start/start-monitoring.ts'
import { superviseChild } from './supervise-child.ts'

type ChildProcessesOptions = {
  config: Config
  databaseUrl: string
  logger: Logger
  operatorDefaults: readonly OperatorSettings[]
  /** Told the exit code of a process that crashes again and again. */
  onGivenUp(exitCode: number): void
}

type ChildProcesses = { drain(): Promise<void> }

type ChildRole = {
  role: 'web' | 'worker'
  entry: URL
  count: number
  /** The first has the monitoring port after this one. */
  monitoringPortsAfter: number
  stopLimitMs: number
}

/** Starts WEB_CONCURRENCY processes that share the port. Returns how to drain them all. */
export function startWebProcesses(options: ChildProcessesOptions): Promise<ChildProcesses> {
  return startChildProcesses(options, {
    role: 'web',
    entry: new URL('./web-process.ts', import.meta.url),
    count: options.config.webConcurrency,
    monitoringPortsAfter: 0,
    stopLimitMs: 12_000,
  })
}

/** Starts WORKER_CONCURRENCY processes that share the work of the worker role. Their monitoring ports follow those of the web processes. */
export function startWorkerProcesses(options: ChildProcessesOptions): Promise<ChildProcesses> {
  const { role, webConcurrency, workerConcurrency } = options.config
  return startChildProcesses(options, {
    role: 'worker',
    entry: new URL('./worker-process.ts', import.meta.url),
    count: workerConcurrency,
    monitoringPortsAfter: role === 'all' && webConcurrency > 1 ? webConcurrency : 0,
    // Calls to operators take up to 14 s; what is left then returns when its lease ends.
    stopLimitMs: 14_000,
  })
}

/** One that ends is restarted. */
async function startChildProcesses(
  { config, databaseUrl, logger, operatorDefaults, onGivenUp }: ChildProcessesOptions,
  { role, entry, count, monitoringPortsAfter, stopLimitMs }: ChildRole,
): Promise<ChildProcesses> {
  const environment = {
    ...processEnvironment(),
    NODE_ENV: 'production' as const,
    SANDBOX: config.isSandbox ? '1' : '0',
    ROLE: role,
    WEB_CONCURRENCY: '1',
    WORKER_CONCURRENCY: '1',
    DATABASE_URL: databaseUrl,
    TOKEN_SECRET: config.tokenSecret,
    SESSION_SECRET: config.sessionSecret,
    SECRETS_KEY: config.secretsKeys.current,
    SECRETS_KEY_PREVIOUS: config.secretsKeys.previous.join(','),
    PUBLIC_URL: config.publicUrl,
    OPERATORS: JSON.stringify(operatorDefaults),
  }
  // One process after the other: behind the shared port a client cannot choose which of them answers.
  const monitoringPort = (number: number) =>
    config.monitoringPort === undefined ? '' : String(config.monitoringPort + monitoringPortsAfter + number)
  const start = (number: number) =>
    superviseChild({
      name: `${role} ${number}`,
      entry,
      environment: (crashes) => ({
        ...environment,
        MONITORING_PORT: monitoringPort(number),
        CRASHES: JSON.stringify({ ...config.crashes, [`${role} ${number}`]: crashes }),
      }),
      logger,
      onGivenUp,
      stopLimitMs,
    })
  // In parallel: the first one that tries reports a port that is taken.
  const children = await Promise.all(Array.from({ length: count }, (_, index) => start(index + 1)))
  return { drain: async () => void (await Promise.all(children.map((child) => child.stop()))) }
}

const operatorDefaultsSchema = z.array(operatorSettingsSchema)

/** Runs a child of server/main.ts, which tells it everything through its environment. `start` starts what the role consists of. */
export async function runChildProcess(name: string, start: (runtime: Runtime, ending: Shutdown) => Promise<void>): Promise<void> {
  const environment = processEnvironment()
  const config = loadConfig(environment)
  const logger = createLogger(config.logLevel)
  setProcessLogger(logger)
  // The parent got the Ctrl-C too, and asks its children in order.
  const ending = createShutdown(logger, ['SIGTERM'])
  publishForNext(config)
  publishKeyring(createKeyring(config.secretsKeys))
  try {
    const operatorDefaults = operatorDefaultsSchema.parse(JSON.parse(environment['OPERATORS'] ?? '[]'))
    const runtime = await createRuntime({ config, databaseUrl: config.databaseUrl ?? '', logger, operatorDefaults })
    ending.add('the connections', () => runtime.close())
    const reporting = reportProcess(runtime.pool, config)
    ending.add('the report of this process', () => reporting.stop())
    if (config.monitoringPort !== undefined) {
      const monitoring = await startMonitoring(runtime, config.monitoringPort)
      ending.add('the monitoring port', () => monitoring.drain())
    }
    await start(runtime, ending)
    process.send?.('ready')
  } catch (error) {
    // Not a crash: the database or the port is not there now, and the parent tries again.
    reportUnexpected(`${name}: start`, error, { message: `A ${name} could not start` })
    ending.begin(1)
  }
}
