import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import reportFiles, { describeSums, findFailedFiles, findFilesWithoutResults, readFileResults } from './file-results.ts'

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

test('the second attempt of a file counts, and a file that failed in it is red', async () => {
  const of = (type: string, file: string) => ({ type, data: { name: 'x', file: path.resolve(file), entryFile: path.resolve(file) } })
  const first = await report([
    of('test:pass', 'a.test.ts'),
    of('test:fail', 'b.test.ts'),
    of('test:pass', 'b.test.ts'),
    of('test:fail', 'c.test.ts'),
  ])
  const second = await report([of('test:pass', 'b.test.ts'), of('test:pass', 'b.test.ts'), of('test:fail', 'c.test.ts')])
  assert.deepEqual(findFailedFiles(['a.test.ts', 'b.test.ts', 'c.test.ts'], first), ['b.test.ts', 'c.test.ts'])
  assert.equal(describeSums(first, second), '\n3 passed, 1 failed\n')
})
