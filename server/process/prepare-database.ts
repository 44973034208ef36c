import type { Config } from '#server/config.ts'
import { awaitDatabase } from '#server/database/await-database.ts'
import { requireDatabaseMode, stampDatabase } from '#server/database/database-mode.ts'
import { migrate } from '#server/database/migrate.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { NO_STATEMENT_LIMIT_MS } from '#server/database/statement-limit.ts'
import type { Logger } from '#server/logger.ts'
import { checkSecretsKeys } from '#server/secrets-at-rest/check-keys.ts'
import type { Keyring } from '#server/secrets-at-rest/keyring.ts'

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
