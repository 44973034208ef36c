import { type Config, loadConfig, processEnvironment } from '#server/config.ts'
import { describeDatabaseProblem } from '#server/database/database-away.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { gatewaysOf } from '#server/operators/sandbox-protocol/sandbox-connector.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { createRuntime, type Runtime } from '#server/runtime.ts'
import { seedSandbox } from '#server/sandbox/seed-sandbox.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { reportProcess } from '../report-process.ts'
import { sandboxSecrets } from '../sandbox-secrets.ts'
import { openDatabase, prepareDatabase } from './prepare-database.ts'
import type { Shutdown } from './shutdown.ts'
import { simulatorFolder, startSimulator } from './start-simulator.ts'

/** Returns the settings of this process. In the sandbox, secrets that are not set are generated once and kept. */
export function readConfig(): Config {
  const environment = processEnvironment()
  const config = loadConfig(environment)
  if (!config.isSandbox) return config
  const given = Object.entries(environment).filter(([, value]) => value)
  return loadConfig({ ...sandboxSecrets(config.dataDirectory), ...Object.fromEntries(given) })
}

type Start = { config: Config; logger: Logger; ending: Pick<Shutdown, 'add' | 'addForcedListener'> }

type Started = {
  runtime: Runtime
  /** Of operators that have no settings in the database. */
  operatorDefaults: readonly OperatorSettings[]
  database: Awaited<ReturnType<typeof openDatabase>>
  simulator: Awaited<ReturnType<typeof startSimulator>> | undefined
  /** True if the sandbox was empty and has been filled now. */
  wasSeeded: boolean
}

/**
 * Opens and prepares the database, starts the simulator of a sandbox, and creates the Runtime of this process. Adds to `ending` what has to
 * be closed. Throws an Error that `explainFailedStart` describes.
 */
export async function startRuntime({ config, logger, ending }: Start): Promise<Started> {
  const keyring = createKeyring(config.secretsKeys)
  publishKeyring(keyring)
  const opening = openDatabase(config, logger)
  // A signal may come while PostgreSQL starts: it must not stay behind. A failed start is thrown by the next statement.
  // biome-ignore lint/plugin/no-silent-error: the comment above says why.
  ending.add('the database', async () => (await opening.catch(() => undefined))?.close())
  const database = await opening
  ending.addForcedListener(() => database.kill())
  const seed = (pool: Pool) => fillSandbox(pool, config)
  const wasSeeded = await prepareDatabase({ config, databaseUrl: database.url, keyring, logger, seed })
  const simulator = config.isSandbox ? await startSimulator(config, logger) : undefined
  if (simulator) ending.add('the simulator', () => simulator.stop())
  const operatorDefaults = simulator?.operators ?? gatewaysOf(config.operators)
  const runtime = await createRuntime({ config, databaseUrl: database.url, logger, operatorDefaults, simulatorUrl: simulator?.url })
  ending.add('the connections', () => runtime.close())
  const reporting = reportProcess(runtime.pool, config)
  ending.add('the report of this process', () => reporting.stop())
  return { runtime, operatorDefaults, database, simulator, wasSeeded }
}

/** Fills an empty sandbox; true when it was filled now. */
function fillSandbox(pool: Pool, config: Config): Promise<boolean> {
  return seedSandbox({
    pool,
    dataDirectory: config.dataDirectory,
    baseUrl: config.publicUrl,
    simulatorFolder: simulatorFolder(config),
    now: new Date(),
  })
}

/** Returns the sentence for the person who started this process. */
export function explainFailedStart(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const problem = describeDatabaseProblem(error)
  if (problem !== undefined)
    return `The database of DATABASE_URL cannot be used (${problem}); check the address and that PostgreSQL runs there.`
  if (!('code' in error && error.code === 'EADDRINUSE' && 'port' in error)) return withCause(error)
  const name = String(error.port) === processEnvironment()['MONITORING_PORT'] ? 'MONITORING_PORT' : 'PORT'
  return `${name} ${String(error.port)} is taken by another program; set ${name} to a free one.`
}

function withCause(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
