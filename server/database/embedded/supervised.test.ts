import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createPool } from '../pool.ts'
import { superviseEmbeddedPostgres } from './supervised.ts'

test('restarted at the same address: a killed PostgreSQL, with everything that was committed', async () => {
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

test('restarted: a PostgreSQL that is killed again while it starts', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-supervised-'))
  await chmod(folder, 0o755)
  const restarted = Promise.withResolvers<void>()
  const server = await superviseEmbeddedPostgres(
    { dataDirectory: path.join(folder, 'postgres'), settings: { shared_buffers: '32MB' } },
    { onRestart: restarted.resolve, onLost: restarted.reject },
  )
  const pool = createPool({ databaseUrl: server.url, connectionsMax: 2, applicationName: 'test' })
  try {
    const killedPid = server.pid()
    process.kill(killedPid, 'SIGKILL')
    process.kill(await nextPid(path.join(server.dataDirectory, 'postmaster.pid'), killedPid), 'SIGKILL')
    const killedMs = performance.now()
    await restarted.promise
    assert.ok(performance.now() - killedMs < 30_000)
    await pool.query('select 1')
  } finally {
    await pool.end()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})

/** The process id in this file as soon as it is another one. */
async function nextPid(pidFile: string, pidBefore: number): Promise<number> {
  for (;;) {
    const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
    if (pid > 0 && pid !== pidBefore) return pid
    await delay(1)
  }
}
