import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import reportFiles, { findFilesWithoutResults, readFileResults } from './file-results.ts'

async function report(events: readonly unknown[]) {
  async function* stream() {
    yield* events as readonly TestEvent[]
  }
  return readFileResults((await Array.fromAsync(reportFiles(stream()))).join(''))
}

test('a file is named that the runner never mentions, that it reports as a test itself, and whose tests were not counted', async () => {
  const at = (file: string) => path.resolve(file)
  const results = await report([
    { type: 'test:pass', data: { name: 'x', file: at('helper.ts'), entryFile: at('a.test.ts') } },
    { type: 'test:fail', data: { name: 'y', file: at('b.test.ts'), entryFile: at('b.test.ts') } },
    { type: 'test:pass', data: { name: 'c.test.ts', file: at('c.test.ts') } },
    { type: 'test:summary', data: { file: at('d.test.ts'), duration_ms: 5 } },
  ])
  assert.deepEqual(findFilesWithoutResults(['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts', 'e.test.ts'], results), [
    'c.test.ts',
    'd.test.ts',
    'e.test.ts',
  ])
})
