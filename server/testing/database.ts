import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createPool, type Pool } from '../database/pool.ts'

export type TestDatabase = { url: string; pool: Pool; drop(): Promise<void> }

/**
 * A fresh database for one test file, cloned from the migrated template. Needs TEST_DATABASE_URL, which
 * `npm test` and `npm run test:server -- <files>` set; refuses any server that is not on this machine.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_DATABASE_URL']
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run tests with npm test or npm run test:server -- <files>')
  if (!/@(127\.0\.0\.1|localhost)[:/]/.test(serverUrl)) throw new Error('Tests only run against a database on this machine')
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(serverUrl, `create database ${name} template countersign_template`)
  const url = serverUrl.replace(/\/[^/]*$/, `/${name}`)
  const pool = createPool({ databaseUrl: url, connectionsMax: 10, applicationName: 'test' })
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
