import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type DatabaseMode, stampDatabase } from '#server/database/embedded/database-mode.ts'
import { createPool, NO_STATEMENT_LIMIT_MS, type Pool } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { setProcessLogger } from '#server/report-unexpected.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'

const CONNECTION_LIMIT_MS = 120_000

/** The key that encrypts the secrets of every test database; a service that a test starts receives it as SECRETS_KEY. */
export const TEST_SECRETS_KEY = 'Y291bnRlcnNpZ24gdGVzdHMgLSBub3QgYSBzZWNyZXQ='
publishKeyring(createKeyring({ current: TEST_SECRETS_KEY, previous: [] }))
// Many tests break things on purpose.
setProcessLogger(createLogger('silent'))

export type TestDatabase = { url: string; pool: Pool; drop(): Promise<void> }

/**
 * A fresh database for one test file, cloned from the migrated template, and stamped where a service is to start on it
 * after the test has written something. Needs TEST_DATABASE_URL, which `npm test` and `npm run test:server -- <files>`
 * set; refuses any server that is not on this machine.
 */
export async function createTestDatabase(options: { mode?: DatabaseMode } = {}): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_DATABASE_URL']
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run tests with npm test or npm run test:server -- <files>')
  if (!/@(127\.0\.0\.1|localhost)[:/]/.test(serverUrl)) throw new Error('Tests only run against a database on this machine')
  const name = `test_${randomBytes(6).toString('hex')}`
  // Nobody uses the template meanwhile; the default strategy writes every page to the log too.
  await administer(serverUrl, `create database ${name} template countersign_template strategy file_copy`)
  const url = serverUrl.replace(/\/[^/]*$/, `/${name}`)
  const pool = createPool({ databaseUrl: url, connectionsMax: 10, applicationName: 'test', statementLimitMs: NO_STATEMENT_LIMIT_MS })
  // On a busy machine hundreds of commands at once wait longer than those of the product may.
  pool.options.connectionTimeoutMillis = CONNECTION_LIMIT_MS
  if (options.mode) await stampDatabase(pool, options.mode)
  return {
    url,
    pool,
    async drop() {
      await pool.end()
      await administer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

/** Runs one statement that no pool of the database itself may run: creating and dropping databases. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
