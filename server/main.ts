import { claimDataDirectory } from '#server/process/instance.ts'
import { startInvitations } from '#server/process/invite-customers.ts'
import { announcement } from '#server/process/start/announce.ts'
import { createShutdown, type Shutdown } from '#server/process/start/shutdown.ts'
import { startLoops } from '#server/process/start/start-loops.ts'
import { startMonitoring } from '#server/process/start/start-monitoring.ts'
import { explainFailedStart, readConfig, startRuntime } from '#server/process/start/start-runtime.ts'
import { startWeb } from '#server/process/start/start-web.ts'
import { type Config, publishForNext } from './config.ts'
import { createLogger, type Logger } from './logger.ts'
import { startWebProcesses, startWorkerProcesses } from './process/children/start-child-processes.ts'
import { setProcessLogger } from './report-unexpected.ts'

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

/** Starts everything from the ground up; the end takes it down in the opposite order. */
async function start(config: Config, logger: Logger, ending: Shutdown): Promise<void> {
  publishForNext(config)
  if (!config.databaseUrl) {
    const instance = await claimDataDirectory(config.dataDirectory)
    instance.update({ url: config.publicUrl })
    ending.addBeginListener(() => instance.update({ isEnding: true }))
  }
  const { runtime, database, operatorDefaults, simulator, wasSeeded } = await startRuntime({ config, logger, ending })
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

/** A child process crashes again and again. The launcher is told not to restart the whole service for it. */
function endForGood(ending: Shutdown, exitCode: number): void {
  process.send?.('final')
  ending.begin(exitCode)
}

function complain(error: unknown): void {
  process.stderr.write(`${explainFailedStart(error)}\n`)
}
