import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { createPool } from '#server/database/pool.ts'
import { claimDataDirectory } from '../instance.ts'

let folder: string
let server: EmbeddedPostgres
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-leftover-'))
  await chmod(folder, 0o755)
  server = await startEmbeddedPostgres({ dataDirectory: path.join(folder, 'postgres'), settings: { shared_buffers: '32MB' } })
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function sweep(): Promise<void> {
  const program = fileURLToPath(new URL('./end-leftover.ts', import.meta.url))
  const environment = { ...process.env, DATA_DIR: folder, DATABASE_URL: '' }
  await once(spawn(process.execPath, [program], { env: environment, stdio: 'ignore' }), 'exit')
}

test('the server still answers while another process holds the folder, and has ended once nobody does', async () => {
  const instance = await claimDataDirectory(folder)
  await sweep()
  const pool = createPool({ databaseUrl: server.url, connectionsMax: 1, applicationName: 'test' })
  pool.on('error', () => undefined)
  assert.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }])
  await pool.end()
  instance.release()
  await sweep()
  await server.ended
})
