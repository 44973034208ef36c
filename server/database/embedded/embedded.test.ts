import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'

let folder: string
let server: EmbeddedPostgres
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-embedded-'))
  await chmod(folder, 0o755)
  server = await start()
})
afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

function start(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDirectory: path.join(folder, 'postgres'),
    settings: { shared_buffers: '32MB' },
    shutdownLimitMs: 1_000,
  })
}

/** Kills a helper of the server, which then ends all others and recovers. */
async function killHelper(): Promise<void> {
  for (const name of await readdir('/proc')) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (!new RegExp(`^PPid:\\s+${server.pid}$`, 'm').test(status) || !command.includes('walwriter')) continue
    process.kill(Number(name), 'SIGKILL')
    return
  }
  assert.fail('The server has no such helper')
}

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('stopped within 20 s: a server that recovers from a crash; committed data is still there', async () => {
  await query('create table kept as select 7 as value')
  await killHelper()
  const askedMs = performance.now()
  await server.stop()
  assert.ok(performance.now() - askedMs < 20_000)
  server = await start()
  assert.deepEqual(await query('select value from kept'), [{ value: 7 }])
})

test('started within 25 s over a leftover server that recovers; committed data is still there', async () => {
  await query('create table kept as select 7 as value')
  await killHelper()
  const startedMs = performance.now()
  server = await start()
  assert.ok(performance.now() - startedMs < 25_000)
  assert.deepEqual(await query('select value from kept'), [{ value: 7 }])
})
