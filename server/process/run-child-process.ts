import { z } from 'zod'
import { loadConfig, processEnvironment, publishForNext } from '#server/config.ts'
import { createLogger } from '#server/logger.ts'
import { operatorSettingsSchema } from '#server/operators/settings/operator-settings.ts'
import { reportUnexpected, setProcessLogger } from '#server/report-unexpected.ts'
import { createRuntime, type Runtime } from '#server/runtime.ts'
import { createKeyring } from '#server/secrets-at-rest/keyring.ts'
import { publishKeyring } from '#server/secrets-at-rest/process-keyring.ts'
import { createShutdown, type Shutdown } from './shutdown.ts'
import { startMonitoring } from './start-monitoring.ts'

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
