import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '#server/config.ts'
import { awaitDatabase } from '#server/database/await-database.ts'
import { requireDatabaseMode, stampDatabase } from '#server/database/embedded/database-mode.ts'
import { superviseEmbeddedPostgres } from '#server/database/embedded/supervised.ts'
import { migrate } from '#server/database/migrate.ts'
import { createPool, NO_STATEMENT_LIMIT_MS, type Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Keyring } from '#server/secrets-at-rest/keyring.ts'
import { checkSecretsKeys } from '#server/secrets-at-rest/reseal-secrets.ts'
import { CRASH_EXIT_CODE } from '../children/crash-policy.mjs'
import { writePrivateFile } from '../instance.ts'

type Preparation = {
  config: Config
  databaseUrl: string
  keyring: Keyring
  logger: Logger
  /** Fills an empty sandbox; true when it was filled now. */
  seed(pool: Pool): Promise<boolean>
}

/**
 * Makes a database ready for this process: it must accept writes within DATABASE_WAIT_MS and belong to the same mode, its schema is brought
 * up to date, its secrets must be readable with our keys, and an empty sandbox is filled. Returns true when it was filled now. Throws an
 * Error whose message says what to do.
 */
export async function prepareDatabase({ config, databaseUrl, keyring, logger, seed }: Preparation): Promise<boolean> {
  const { preparesStatements, isSandbox } = config
  const mode = isSandbox ? 'sandbox' : 'production'
  const pool = createPool({
    databaseUrl,
    connectionsMax: 2,
    applicationName: 'countersign start',
    statementLimitMs: NO_STATEMENT_LIMIT_MS,
    preparesStatements,
  })
  try {
    await awaitDatabase(pool, {
      limitMs: config.databaseWaitMs,
      onWait: (reason) => logger.warn({ reason }, `The database cannot be used yet; waiting up to ${config.databaseWaitMs / 1_000} s`),
    })
    await requireDatabaseMode(pool, mode)
    await migrate(pool, { onWait: (message) => logger.warn(message) })
    await stampDatabase(pool, mode)
    await checkSecretsKeys(pool, keyring)
    return isSandbox && (await seed(pool))
  } finally {
    await pool.end()
  }
}

type OpenDatabase = {
  url: string
  /** The location of the data, for the start-up lines; undefined for the server of DATABASE_URL. */
  dataDirectory: string | undefined
  close(): Promise<void>
  /** Immediately, without waiting for anything: PostgreSQL recovers at the next start. */
  kill(): void
}

/**
 * The database that DATABASE_URL names, or the embedded one, whose address is in DATA_DIR/postgres.url while it runs
 * so that the command line tools find it. The embedded one is restarted when it dies; when that fails the process ends.
 */
export async function openDatabase(config: Config, logger: Logger): Promise<OpenDatabase> {
  if (config.databaseUrl) return { url: config.databaseUrl, dataDirectory: undefined, close: async () => undefined, kill: () => undefined }
  const urlFile = path.join(config.dataDirectory, 'postgres.url')
  rmSync(urlFile, { force: true })
  const server = await superviseEmbeddedPostgres(
    { dataDirectory: path.join(config.dataDirectory, 'postgres') },
    {
      onRestart: () => logger.warn('PostgreSQL had ended and was started again'),
      onLost(error) {
        reportUnexpected('database: restart', error, { message: 'PostgreSQL ended and could not be started again; the process ends' })
        process.exit(CRASH_EXIT_CODE)
      },
    },
  )
  writePrivateFile(urlFile, `${server.url}\n`)
  return {
    url: server.url,
    dataDirectory: server.dataDirectory,
    async close() {
      rmSync(urlFile, { force: true })
      await server.stop()
    },
    kill: () => server.kill(),
  }
}
