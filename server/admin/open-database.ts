import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Config, loadSecretsKeys, namedMode } from '#server/config.ts'
import { type DatabaseMode, isEmptyDatabase, requireDatabaseMode, stampDatabase } from '#server/database/embedded/database-mode.ts'
import { migrate } from '#server/database/migrate.ts'
import { createPool, NO_STATEMENT_LIMIT_MS, type Pool } from '#server/database/pool.ts'
import { readSandboxSecrets, sandboxSecrets } from '#server/process/sandbox-secrets.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { checkSecretsKeys } from '#server/secrets-at-rest/reseal-secrets.ts'
import { AdminError } from './command.ts'

type Environment = Record<string, string | undefined>

/**
 * Opens DATABASE_URL, or the database of the sandbox that runs on this machine. A database without our tables is prepared
 * and stamped first; one that has them is left at its version: upgrading it is the service's business, when it starts.
 * Throws an AdminError with one sentence.
 */
export async function openAdminDatabase(environment: Environment, options: { usesSecrets: boolean }): Promise<Pool> {
  const dataDirectory = path.resolve(environment['DATA_DIR'] || '.data')
  const { databaseUrl, mode } = await findDatabase(environment, dataDirectory)
  const pool = createPool({ databaseUrl, connectionsMax: 2, applicationName: 'countersign admin', statementLimitMs: NO_STATEMENT_LIMIT_MS })
  try {
    await refusingInWords(() => requireDatabaseMode(pool, mode))
    const isNew = await isEmptyDatabase(pool)
    if (isNew) {
      await migrate(pool)
      await refusingInWords(() => stampDatabase(pool, mode))
    }
    if (options.usesSecrets) await loadKeys(pool, secretsKeysOf(environment, { mode, dataDirectory, isNew }))
    return pool
  } catch (error) {
    await pool.end()
    throw error
  }
}

async function findDatabase(environment: Environment, dataDirectory: string): Promise<{ databaseUrl: string; mode: DatabaseMode }> {
  const named = environment['DATABASE_URL']
  if (!named) {
    // biome-ignore lint/plugin/no-silent-error: No file: no sandbox is running, which the next line says.
    const text = await readFile(path.join(dataDirectory, 'postgres.url'), 'utf8').catch(() => '')
    if (text.trim() === '') throw new AdminError('No database: set DATABASE_URL, or start the sandbox first (npm start).')
    return { databaseUrl: text.trim(), mode: 'sandbox' }
  }
  const mode = namedMode(environment)
  if (mode === undefined) throw new AdminError('DATABASE_URL needs NODE_ENV=production, or SANDBOX=1 for the database of a sandbox.')
  return { databaseUrl: named, mode }
}

/** SECRETS_KEY, or what the sandbox has stored. */
function secretsKeysOf(
  environment: Environment,
  { mode, dataDirectory, isNew }: { mode: DatabaseMode; dataDirectory: string; isNew: boolean },
): Config['secretsKeys'] | undefined {
  const named = inWords(() => loadSecretsKeys(environment))
  if (named || mode === 'production') return named
  const stored = inWords(() => (isNew ? sandboxSecrets(dataDirectory) : readSandboxSecrets(dataDirectory)))
  return stored && { current: stored.SECRETS_KEY, previous: [] }
}

async function loadKeys(pool: Pool, keys: Config['secretsKeys'] | undefined): Promise<void> {
  if (!keys) throw new AdminError('SECRETS_KEY is missing: this command needs the key that encrypts the secrets in this database.')
  const keyring = createKeyring(keys)
  await refusingInWords(() => checkSecretsKeys(pool, keyring))
  publishKeyring(keyring)
}

/** Turns a refusal into one sentence for the person at the command line; a database error is reported as such. */
async function refusingInWords(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw error instanceof Error && !('code' in error) ? new AdminError(error.message) : error
  })
}

function inWords<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw new AdminError(error instanceof Error ? error.message : String(error))
  }
}
