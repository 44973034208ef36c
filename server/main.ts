import { type Config, loadConfig, processEnvironment, publishForNext } from './config.ts'
import { migrate } from './database/migrate.ts'
import { createPool } from './database/pool.ts'
import { createLogger } from './logger.ts'
import { createEnding, type Ending } from './process/ending.ts'
import { claimDataDirectory } from './process/instance.ts'
import { openDatabase } from './process/open-database.ts'
import { sandboxSecrets } from './process/sandbox-secrets.ts'

/** A few calm lines for whoever started this; the log proper is JSON on standard error. */
const say = (line: string) => process.stdout.write(`${line}\n`)

try {
  const config = readConfig()
  const ending = createEnding(createLogger(config.logLevel))
  await start(config, ending).catch((error: unknown) => {
    complain(error)
    ending.begin(1)
  })
} catch (error) {
  complain(error)
  process.exit(1)
}

/** In the sandbox, secrets that nobody set are made once and kept. */
function readConfig(): Config {
  const environment = processEnvironment()
  const config = loadConfig(environment)
  return config.isSandbox ? loadConfig({ ...sandboxSecrets(config.dataDirectory), ...environment }) : config
}

async function start(config: Config, ending: Ending): Promise<void> {
  const logger = createLogger(config.logLevel)
  publishForNext(config)
  if (!config.databaseUrl) {
    const instance = await claimDataDirectory(config.dataDirectory)
    instance.update({ url: config.publicUrl })
    ending.onBegin(() => instance.update({ isEnding: true }))
  }
  const database = await openDatabase(config, logger)
  ending.onForced(() => database.kill())
  ending.add('the database', () => database.close())
  const pool = createPool({ databaseUrl: database.url, connectionsMax: config.poolSize, applicationName: 'countersign' })
  ending.add('the connections', () => pool.end())
  await migrate(pool)
  say(`Ready on ${config.publicUrl}`)
}

function complain(error: unknown): void {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${cause}\n`)
}
