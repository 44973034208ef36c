import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { migrate } from '#server/database/migrate.ts'
import { createPool } from '#server/database/pool.ts'

type TestPostgres = { url: string; stop(): Promise<void> }

/** Starts a throw-away PostgreSQL with a migrated template database. Not durable: fsync is off, its folder goes at the end. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-test-'))
  const { chmod } = await import('node:fs/promises')
  // As root the server runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  const server = await startEmbeddedPostgres({
    dataDirectory: path.join(folder, 'postgres'),
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      shared_buffers: '128MB',
      max_connections: '300',
      max_prepared_transactions: '4',
    },
  })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('create database countersign_template')
  await client.end()
  const pool = createPool({
    databaseUrl: server.url.replace(/\/postgres$/, '/countersign_template'),
    connectionsMax: 2,
    applicationName: 'template',
  })
  await migrate(pool)
  await pool.end()
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
