import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { claimDataDirectory } from './instance.ts'

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
