import type { Config } from '../config.ts'
import { demandDatabaseMode, stampDatabase } from '../database/database-mode.ts'
import { migrate } from '../database/migrate.ts'
import { createPool } from '../database/pool.ts'
import type { Logger } from '../logger.ts'
import { SEEDED_USERNAMES } from '../sandbox/cast.ts'
import { seedSandbox } from '../sandbox/seed-sandbox.ts'
import { checkSecretsKeys } from '../secrets-at-rest/check-keys.ts'
import type { Keyring } from '../secrets-at-rest/keyring.ts'
import { sealPlainSecrets } from '../secrets-at-rest/reseal-secrets.ts'
import { simulatorFolder } from './start-simulator.ts'

type Preparation = { config: Config; databaseUrl: string; keyring: Keyring; logger: Logger }

/**
 * Makes a database ready for this process: it must belong to the same mode, its schema is brought up to date, it must be
 * readable with our keys, nothing in it stays in plain text, and an empty sandbox is filled. Returns true when it was
 * filled now. Throws an Error whose message says what to do.
 */
export async function prepareDatabase({ config, databaseUrl, keyring, logger }: Preparation): Promise<boolean> {
  const { preparesStatements, isSandbox } = config
  const mode = isSandbox ? 'sandbox' : 'production'
  const pool = createPool({ databaseUrl, connectionsMax: 2, applicationName: 'countersign start', preparesStatements })
  try {
    await demandDatabaseMode(pool, mode, SEEDED_USERNAMES)
    await migrate(pool, { onWait: (message) => logger.warn(message) })
    await stampDatabase(pool, mode, SEEDED_USERNAMES)
    await checkSecretsKeys(pool, keyring)
    if ((await sealPlainSecrets(pool, keyring)) === 'waits_for_old_processes')
      logger.warn('Some secrets are stored in plain text until the last process of the release before is gone; they are encrypted then')
    if (!isSandbox) return false
    return await seedSandbox({
      pool,
      dataDirectory: config.dataDirectory,
      baseUrl: config.publicUrl,
      simulatorFolder: simulatorFolder(config),
      now: new Date(),
    })
  } finally {
    await pool.end()
  }
}
