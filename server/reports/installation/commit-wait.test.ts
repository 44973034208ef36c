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
  // The processes of the server read the setting one after the other: commits before that do not wait.
  let isStored = true
  let stored = Promise.resolve()
  await waitUntil('a commit waits', async () => {
    if (isStored) {
      isStored = false
      stored = pool.query('insert into stored values (1)').then(() => {
        isStored = true
      })
    }
    return (await readCommitWaitMs(pool)) > 100
  })
  await requireStandby('')
  await stored
  await waitUntil('none waits', async () => (await readCommitWaitMs(pool)) === 0)
})
