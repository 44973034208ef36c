import type { Config } from '#server/config.ts'
import { processEnvironment } from '#server/config.ts'
import type { Logger } from '#server/logger.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
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
