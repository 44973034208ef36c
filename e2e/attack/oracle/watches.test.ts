import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { watchChildren } from './watch-children.ts'
import { BLOCKED_LIMIT_MS, blockedMs, watchLoop } from './watch-loop.ts'
import { MEMORY_LIMIT_MB, watchMemory } from './watch-memory.ts'

/** A process that answers {"status":"up"}, and does `harm` when it is told to; says when that is done. */
async function startServer(harm: string): Promise<{ child: ChildProcess; port: number }> {
  const program = `
    const server = require('node:http').createServer({ keepAliveTimeout: 0 }, (_, response) => response.end('{"status":"up"}'))
    server.listen(0, '127.0.0.1', () => process.send(server.address().port))
    process.on('message', () => { ${harm}; process.send('done') })
    // Whatever becomes of the test.
    process.once('disconnect', () => process.exit())`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [port] = (await once(child, 'message')) as [number]
  return { child, port }
}

/** The slow answers of a process that does `harm` once it is watched, as what its loop alone explains. */
async function watchWhile(harm: string): Promise<number[]> {
  const { child, port } = await startServer(harm)
  const watch = await watchLoop({ host: '127.0.0.1', port, path: '/', pid: child.pid ?? 0 })
  await until(() => watch.probes() >= PROBES)
  const done = once(child, 'message')
  child.send('now')
  await done
  const probes = watch.probes()
  await until(() => watch.probes() >= probes + 2 * PROBES)
  await watch.stop()
  child.kill('SIGKILL')
  return watch.slow.map(blockedMs)
}

/** Probes are counted by fifties. */
const PROBES = 50

async function until(condition: () => boolean): Promise<void> {
  const endsAtMs = performance.now() + 240_000
  while (!condition() && performance.now() < endsAtMs) await delay(20)
  assert.ok(condition(), 'waited in vain')
}

test('a loop that computes for 600 ms is caught, and nothing that the machine does explains it away', async () => {
  const blocked = await watchWhile('const start = process.cpuUsage().user; while (process.cpuUsage().user - start < 600_000)')
  assert.ok(Math.max(...blocked) > BLOCKED_LIMIT_MS, `the worst was ${Math.max(...blocked)} ms`)
})

test('a loop that waits for nothing is not accused, also on a machine that is busy', async () => {
  const busy = Array.from({ length: 6 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const blocked = await watchWhile('').finally(() => {
    for (const child of busy) child.kill('SIGKILL')
  })
  assert.ok(Math.max(0, ...blocked) <= BLOCKED_LIMIT_MS, `the worst was ${Math.max(0, ...blocked)} ms`)
})

test('what a machine without a free CPU delays is subtracted', () => {
  assert.equal(blockedMs({ atMs: 0, latencyMs: 900, controlMs: 20, starvedMs: 800, computedMs: 80 }), 100)
  assert.equal(blockedMs({ atMs: 0, latencyMs: 900, controlMs: 850, starvedMs: 0, computedMs: 80 }), 50)
  assert.equal(blockedMs({ atMs: 0, latencyMs: 900, controlMs: 10, starvedMs: 30, computedMs: 80 }), 870)
})

test('a process that takes more than its memory is caught, with its highest reading', async () => {
  const { child } = await startServer(`globalThis.held = Buffer.alloc(${(MEMORY_LIMIT_MB + 50) * 1024 * 1024}, 1)`)
  const watch = watchMemory(() => child.pid)
  child.send('now')
  const endsAtMs = performance.now() + 120_000
  while (watch.excesses.length === 0 && performance.now() < endsAtMs) await delay(50)
  watch.stop()
  child.kill('SIGKILL')
  assert.ok((watch.excesses[0]?.megabytes ?? 0) > MEMORY_LIMIT_MB)
  assert.ok(watch.highest.megabytes > MEMORY_LIMIT_MB)
})

test('a child that ends while its parent lives on is caught', async () => {
  const program = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)', 'server/of-a-test'])
    process.on('message', () => child.kill('SIGKILL'))
    process.send('started')`
  const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await once(parent, 'message')
  const watch = watchChildren(() => parent.pid)
  await until(() => watch.watched() === 1)
  parent.send('now')
  await until(() => watch.lost.length === 1)
  watch.stop()
  parent.kill('SIGKILL')
  assert.match(watch.lost[0]?.command ?? '', /server\/of-a-test/)
})
