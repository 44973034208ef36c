import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

/** More than any pipe holds. */
const LENGTH = 4_000_000

test('all that was written is read from a process that ends immediately', async () => {
  const flag = `--import=${new URL('./blocking-output.mjs', import.meta.url).href}`
  const child = spawn(process.execPath, [flag, '--eval', `process.stdout.write('x'.repeat(${LENGTH})); process.exit()`])
  assert.equal((await text(child.stdout)).length, LENGTH)
})
