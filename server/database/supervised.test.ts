import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createPool } from './pool.ts'
import { superviseEmbeddedPostgres } from './supervised.ts'

test('a killed PostgreSQL is back on the same address, and what was committed is there', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-supervised-'))
  await chmod(folder, 0o755)
  const restarted = Promise.withResolvers<void>()
  const server = await superviseEmbeddedPostgres(
    { dataDirectory: path.join(folder, 'postgres'), settings: { shared_buffers: '32MB' } },
    { onRestart: restarted.resolve, onLost: restarted.reject },
  )
  const pool = createPool({ databaseUrl: server.url, connectionsMax: 2, applicationName: 'test' })
  try {
    await pool.query('create table kept (value integer)')
    await pool.query('insert into kept values (7)')
    process.kill(server.pid(), 'SIGKILL')
    await restarted.promise
    const { rows } = await pool.query<{ value: number }>('select value from kept')
    assert.deepEqual(rows, [{ value: 7 }])
  } finally {
    await pool.end()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
