import type { Config } from '#server/config.ts'
import { processEnvironment } from '#server/config.ts'
import type { Logger } from '#server/logger.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { type SupervisedChild, superviseChild } from './supervise-child.ts'

type WebProcessOptions = {
  config: Config
  databaseUrl: string
  logger: Logger
  operatorDefaults: readonly OperatorSettings[]
  /** Told the exit code of a web process that crashes again and again. */
  onGivenUp(exitCode: number): void
}

/** Starts WEB_CONCURRENCY processes that share the port; one that ends is restarted. Returns how to drain them all. */
export async function startWebProcesses({
  config,
  databaseUrl,
  logger,
  operatorDefaults,
  onGivenUp,
}: WebProcessOptions): Promise<{ pagesReady: Promise<void>; drain(): Promise<void> }> {
  const environment = {
    ...processEnvironment(),
    NODE_ENV: 'production' as const,
    SANDBOX: config.isSandbox ? '1' : '0',
    ROLE: 'web',
    WEB_CONCURRENCY: '1',
    DATABASE_URL: databaseUrl,
    TOKEN_SECRET: config.tokenSecret,
    SESSION_SECRET: config.sessionSecret,
    SECRETS_KEY: config.secretsKeys.current,
    SECRETS_KEY_PREVIOUS: config.secretsKeys.previous.join(','),
    PUBLIC_URL: config.publicUrl,
    OPERATORS: JSON.stringify(operatorDefaults),
  }
  // One process after the other: behind the shared port nobody can choose which of them answers.
  const monitoringPort = (number: number) => (config.monitoringPort === undefined ? '' : String(config.monitoringPort + number))
  const start = (number: number) =>
    superviseChild({
      name: `web ${number}`,
      entry: new URL('./web-process.ts', import.meta.url),
      environment: (crashes) => ({
        ...environment,
        MONITORING_PORT: monitoringPort(number),
        CRASHES: JSON.stringify({ ...config.crashes, [`web ${number}`]: crashes }),
      }),
      logger,
      onGivenUp,
      stopLimitMs: 12_000,
    })
  // In parallel: the first one that tries reports a port that is taken.
  const children: SupervisedChild[] = await Promise.all(Array.from({ length: config.webConcurrency }, (_, index) => start(index + 1)))
  return { pagesReady: Promise.resolve(), drain: async () => void (await Promise.all(children.map((child) => child.stop()))) }
}
