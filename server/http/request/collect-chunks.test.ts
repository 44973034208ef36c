import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { collectChunks } from './body.ts'

const CHUNK_BYTES = 64 * 1024
const MB = 1024 * 1024

test('less than 24 MB of dropped chunks are held outside the heap, however many arrive', () => {
  setFlagsFromString('--expose-gc')
  globalThis.gc ??= runInNewContext('gc')
  const before = process.memoryUsage().arrayBuffers
  let highest = 0
  for (let number = 0; number < 1_000; number++) {
    collectChunks(Buffer.allocUnsafeSlow(CHUNK_BYTES).length)
    highest = Math.max(highest, process.memoryUsage().arrayBuffers - before)
  }
  assert.ok(highest < 24 * MB, `${Math.round(highest / MB)} MB of 62 MB`)
})

test('one collection of the young generation for each 4 MB of chunks', (context) => {
  const { gc } = globalThis
  context.after(() => {
    globalThis.gc = gc
  })
  let collections = 0
  globalThis.gc = (() => void collections++) as typeof gc
  while (collections === 0) collectChunks(CHUNK_BYTES)
  for (let chunk = 0; chunk < 3 * 64; chunk++) collectChunks(CHUNK_BYTES)
  assert.equal(collections, 1 + 3)
})
