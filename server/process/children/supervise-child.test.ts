import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createLogger } from '#server/logger.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type SupervisedChild, superviseChild } from './supervise-child.ts'

const { PATH } = process.env
let folder: string
const children: SupervisedChild[] = []
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-child-'))
})
afterEach(() => Promise.all(children.splice(0).map((child) => child.stop())))
after(() => rmSync(folder, { recursive: true, force: true }))

let programs = 0
/** Supervises a program that runs `script`, with the number of its start. `starts` has the count of crashes at each start. */
async function supervise(script: string, options: { stopLimitMs?: number; onGivenUp?(exitCode: number): void } = {}) {
  const file = path.join(folder, `${++programs}.mjs`)
  writeFileSync(file, `process.on('disconnect', () => process.exit(0))\n${script}`)
  const starts: number[] = []
  const child = await superviseChild({
    name: 'a child',
    entry: pathToFileURL(file),
    arguments: () => ['one', 'two'],
    environment: (crashes) => {
      starts.push(crashes)
      return { NODE_ENV: 'test', PATH, STARTS: String(starts.length) }
    },
    logger: createLogger('silent'),
    stopLimitMs: 10_000,
    ...options,
  })
  children.push(child)
  return { child, starts }
}

const isRunning = (pid: number | undefined) => {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the first message of a child with its arguments, once it is ready', async () => {
  const { child } = await supervise(`process.send(process.argv.slice(2))`)
  assert.deepEqual(child.firstMessage, ['one', 'two'])
})

test('an Error for a child that ends before it is ready, which is not started again', async () => {
  await assert.rejects(supervise('process.exit(3)'), /^Error: The process a child ended while starting; the reason is above\.$/)
})

test('restarted after every end, counting the crashes, as long as it is not stopped', async () => {
  const { child, starts } = await supervise(
    `process.send('ready', () => {
       if (process.env.STARTS === '1') process.exit(0)
       if (process.env.STARTS === '2') process.kill(process.pid, 'SIGKILL')
     })
     setInterval(() => undefined, 1_000)`,
  )
  await waitUntil('it was started twice again', () => starts.length >= 3)
  assert.deepEqual(starts, [0, 0, 1])
  assert.ok(isRunning(child.pid()))
  await child.stop()
  assert.ok(!isRunning(child.pid()))
  assert.equal(starts.length, 3)
})

test('the exit code of the third crash within a minute, after two restarts, where the supervisor gives up', async () => {
  const codes: number[] = []
  const { starts } = await supervise(`process.send('ready', () => process.kill(process.pid, 'SIGSEGV'))`, {
    onGivenUp: (code) => codes.push(code),
  })
  await waitUntil('it gives up', () => codes.length > 0, { limitMs: 30_000 })
  assert.deepEqual([codes, starts], [[139], [0, 1, 2]])
})

test('a stop asks the child to end and waits for it; one that does not end is killed after the limit', async () => {
  const polite = await supervise(`process.on('SIGTERM', () => setTimeout(() => process.exit(0), 100)); process.send('ready')`)
  const stubborn = await supervise(`process.on('SIGTERM', () => undefined); process.send('ready')`, { stopLimitMs: 100 })
  for (const { child, starts } of [polite, stubborn]) {
    const pid = child.pid()
    assert.ok(isRunning(pid))
    await child.stop()
    assert.equal(isRunning(pid), false)
    await child.stop()
    assert.deepEqual(starts, [0])
  }
})

test('not started again: a child that had ended and waited for its restart when it was stopped', async () => {
  const script = `process.send('ready', () => process.exit(0))`
  const { child, starts } = await supervise(script)
  await waitUntil('it has ended', () => !isRunning(child.pid()))
  const pid = child.pid()
  await child.stop()
  const other = await supervise(script)
  await waitUntil('another one was started again three times', () => other.starts.length > 3)
  assert.deepEqual([starts, child.pid()], [[0], pid])
})
