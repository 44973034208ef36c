import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { claimDataDirectory, writePrivateFile } from './instance.ts'

let folder: string
let holder: Server | undefined

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-instance-'))
})
afterEach(() => {
  holder?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Another process that holds the name and answers with this. */
async function hold(answer: string): Promise<void> {
  const name = `\0countersign-data-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)}`
  holder = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(answer)
  })
  await new Promise<void>((resolve) => holder?.listen(name, resolve))
}

for (const [what, answer] of [
  ['half an answer, as of one that is dying', '{"pid":12,"url":"http'],
  ['no JSON', 'hello'],
  ['another shape', '{"pid":"x"}'],
  ['no end', 'x'.repeat(5_000_000)],
] as const) {
  test(`one sentence refuses the start when the holder of the folder answers with ${what}`, async () => {
    await hold(answer)
    await assert.rejects(
      claimDataDirectory(folder, { endingMs: 300, runningMs: 300, silentMs: 300 }),
      /^Error: Already running with the data in .*; if nothing is, another program holds its name\.$/,
    )
  })
}

test('the claim succeeds as soon as a holder that answers nothing useful is gone', async () => {
  await hold('{"pid":12,"url":"http')
  const claiming = claimDataDirectory(folder)
  holder?.close()
  const instance = await claiming
  instance.release()
})

const modeOf = (name: string) => (statSync(path.join(folder, name)).mode & 0o777).toString(8)

test('700 for a data folder and the folders in it, new ones and those that somebody opened to others; files keep their rights', async () => {
  mkdirSync(path.join(folder, 'data', 'postgres'), { recursive: true })
  writeFileSync(path.join(folder, 'data', 'file'), '', { mode: 0o644 })
  for (const name of ['data', 'data/postgres']) chmodSync(path.join(folder, name), 0o755)
  for (const data of ['data', 'new']) (await claimDataDirectory(path.join(folder, data))).release()
  assert.deepEqual(['data', 'data/postgres', 'data/file', 'new'].map(modeOf), ['700', '700', '644', '700'])
})

test('600 for a private file, also in place of one that others may read, and nothing else is left beside it', () => {
  writeFileSync(path.join(folder, 'secret'), 'old', { mode: 0o644 })
  writePrivateFile(path.join(folder, 'secret'), 'new')
  assert.equal(modeOf('secret'), '600')
  assert.deepEqual(readdirSync(folder), ['secret'])
})

test('one sentence with the address and the process of the holder, and a second claim succeeds once the first is released', async () => {
  const first = await claimDataDirectory(folder)
  first.update({ url: 'http://127.0.0.1:3000/' })
  const limits = { endingMs: 60_000, runningMs: 100, silentMs: 60_000 }
  await assert.rejects(claimDataDirectory(folder, limits), {
    message: `Already running on http://127.0.0.1:3000/ (process ${process.pid}) with the data in ${folder}.`,
  })
  first.update({ isEnding: true })
  const second = claimDataDirectory(folder, { ...limits, runningMs: 0 })
  first.release()
  ;(await second).release()
})
