import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { readCommitWaitMs } from './installation-store.ts'

let folder: string
let server: EmbeddedPostgres
let pool: Pool
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-commits-'))
  await chmod(folder, 0o755)
  server = await startEmbeddedPostgres({ dataDirectory: path.join(folder, 'postgres'), settings: { shared_buffers: '32MB' } })
  pool = createPool({ databaseUrl: server.url, connectionsMax: 2, applicationName: 'test' })
})
after(async () => {
  await pool.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function requireStandby(names: string): Promise<void> {
  await pool.query(`alter system set synchronous_standby_names = '${names}'`)
  await pool.query('select pg_reload_conf()')
}

test('the time since the oldest commit began to wait, while no standby stores it; 0 before and after', async () => {
  await pool.query('create table stored (value integer)')
  assert.equal(await readCommitWaitMs(pool), 0)
  await requireStandby('*')
  await waitUntil(
    'it is required',
    async () => (await pool.query('show synchronous_standby_names')).rows[0]?.synchronous_standby_names === '*',
  )
  const stored = pool.query('insert into stored values (1)')
  await waitUntil('the commit waits', async () => (await readCommitWaitMs(pool)) > 100)
  await requireStandby('')
  await stored
  await waitUntil('none waits', async () => (await readCommitWaitMs(pool)) === 0)
})
