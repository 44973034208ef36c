import type { Pool } from '#server/database/pool.ts'
import { announcement } from '#server/process/announce.ts'
import { claimDataDirectory } from '#server/process/instance.ts'
import { startInvitations } from '#server/process/invite-customers.ts'
import { sandboxSecrets } from '#server/process/sandbox-secrets.ts'
import { createShutdown, type Shutdown } from '#server/process/shutdown.ts'
import { startLoops } from '#server/process/start-loops.ts'
import { startMonitoring } from '#server/process/start-monitoring.ts'
import { simulatorFolder, startSimulator } from '#server/process/start-simulator.ts'
import { startWeb } from '#server/process/start-web.ts'
import { seedSandbox } from '#server/sandbox/seed-sandbox.ts'
import { type Config, loadConfig, processEnvironment, publishForNext } from './config.ts'
import { describeDatabaseProblem } from './database/database-away.ts'
import { createLogger, type Logger } from './logger.ts'
import { gatewaysOf } from './operators/sandbox-protocol/sandbox-connector.ts'
import { startWebProcesses, startWorkerProcesses } from './process/children/start-child-processes.ts'
import { openDatabase, prepareDatabase } from './process/prepare-database.ts'
import { setProcessLogger } from './report-unexpected.ts'
import { createRuntime } from './runtime.ts'
import { createKeyring, publishKeyring } from './secrets-at-rest/keyring.ts'

const startedAtMs = performance.now()

try {
  const config = readConfig()
  const logger = createLogger(config.logLevel)
  setProcessLogger(logger)
  const ending = createShutdown(logger)
  await start(config, logger, ending).catch((error: unknown) => {
    if (ending.hasBegun()) return
    complain(error)
    ending.begin(1)
  })
} catch (error) {
  complain(error)
  process.exit(1)
}

/** In the sandbox, secrets that are not set are generated once and kept. */
function readConfig(): Config {
  const environment = processEnvironment()
  const config = loadConfig(environment)
  if (!config.isSandbox) return config
  const given = Object.entries(environment).filter(([, value]) => value)
  return loadConfig({ ...sandboxSecrets(config.dataDirectory), ...Object.fromEntries(given) })
}

/** Starts everything from the ground up; the end takes it down in the opposite order. */
async function start(config: Config, logger: Logger, ending: Shutdown): Promise<void> {
  publishForNext(config)
  const keyring = createKeyring(config.secretsKeys)
  publishKeyring(keyring)
  if (!config.databaseUrl) {
    const instance = await claimDataDirectory(config.dataDirectory)
    instance.update({ url: config.publicUrl })
    ending.addBeginListener(() => instance.update({ isEnding: true }))
  }
  const opening = openDatabase(config, logger)
  // A signal may come while PostgreSQL starts: it must not stay behind. A failed start is thrown by the next statement.
  // biome-ignore lint/plugin/no-silent-error: the comment above says why.
  ending.add('the database', async () => (await opening.catch(() => undefined))?.close())
  const database = await opening
  ending.addForcedListener(() => database.kill())
  const wasSeeded = await prepareDatabase({
    config,
    databaseUrl: database.url,
    keyring,
    logger,
    seed: (pool) => seed(pool, config),
  })

  const simulator = config.isSandbox ? await startSimulator(config, logger) : undefined
  if (simulator) ending.add('the simulator', () => simulator.stop())
  const operatorDefaults = simulator?.operators ?? gatewaysOf(config.operators)
  const runtime = await createRuntime({ config, databaseUrl: database.url, logger, operatorDefaults })
  ending.add('the connections', () => runtime.close())
  if (config.monitoringPort !== undefined) {
    const monitoring = await startMonitoring(runtime, config.monitoringPort)
    ending.add('the monitoring port', () => monitoring.drain())
  }
  const childOptions = {
    config,
    databaseUrl: database.url,
    logger,
    operatorDefaults,
    onGivenUp: (exitCode: number) => endForGood(ending, exitCode),
  }
  if (config.role !== 'web') {
    const loops = config.workerConcurrency > 1 ? await startWorkerProcesses(childOptions) : startLoops(runtime)
    ending.add('the loops', () => loops.drain())
    if (simulator) {
      const { publicUrl, simulator: simulatorSettings } = config
      const invitations = startInvitations({ pool: runtime.pool, publicUrl, simulator, afterMs: simulatorSettings.delayMs })
      ending.add('the invitations', () => invitations.stop())
    }
  }
  if (config.role !== 'worker') {
    if (config.webConcurrency > 1) {
      const webs = await startWebProcesses(childOptions)
      ending.add('the front door', () => webs.drain())
    } else {
      const web = await startWeb(runtime, { sharesPort: false })
      ending.add('the front door', () => web.drain())
      // The API answers already; what is announced is that everything does.
      await web.pagesReady
    }
  }
  const lines = announcement(config, {
    startedInMs: performance.now() - startedAtMs,
    dataDirectory: database.dataDirectory,
    wasSeeded,
    simulatorUrl: simulator?.url,
  })
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** Fills an empty sandbox; true when it was filled now. */
function seed(pool: Pool, config: Config): Promise<boolean> {
  return seedSandbox({
    pool,
    dataDirectory: config.dataDirectory,
    baseUrl: config.publicUrl,
    simulatorFolder: simulatorFolder(config),
    now: new Date(),
  })
}

/** A child process crashes again and again. The launcher is told not to restart the whole service for it. */
function endForGood(ending: Shutdown, exitCode: number): void {
  process.send?.('final')
  ending.begin(exitCode)
}

function complain(error: unknown): void {
  process.stderr.write(`${explain(error)}\n`)
}

function explain(error: unknown): string {
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
