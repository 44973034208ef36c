import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '#server/config.ts'
import { superviseEmbeddedPostgres } from '#server/database/supervised.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { CRASH_EXIT_CODE } from './crash-policy.mjs'
import { writePrivateFile } from './private-file.ts'

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
