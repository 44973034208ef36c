import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import { setProcessLogger } from '#server/report-unexpected.ts'
import { toFileResponse } from './file-response.ts'

// A piece that cannot be made is reported.
setProcessLogger(createLogger('silent'))

/** A file of these pieces; a piece that is an Error is thrown instead. `made`: what was asked for, and the end. */
function aFile(...pieces: (string | Error)[]) {
  const made: string[] = []
  async function* make(): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (const piece of pieces) {
        if (piece instanceof Error) throw piece
        made.push(piece)
        yield Buffer.from(piece)
      }
    } finally {
      made.push('end')
    }
  }
  const leaving = new AbortController()
  const answer = () => toFileResponse(make(), { type: 'text/csv; charset=utf-8', fileName: 'kora-2026.csv' }, leaving.signal)
  return { made, leave: () => leaving.abort(), answer }
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

test('the pieces in their order as a download with its name, kept by nobody', async () => {
  const response = await aFile('one,', 'two,', 'three').answer()
  assert.deepEqual([response.status, await response.text()], [200, 'one,two,three'])
  assert.deepEqual(Object.fromEntries(response.headers), {
    'cache-control': 'private, no-store',
    'content-disposition': 'attachment; filename="kora-2026.csv"',
    'content-type': 'text/csv; charset=utf-8',
    'x-accel-buffering': 'no',
  })
})

test('an empty download for a file without pieces', async () => {
  assert.equal(await (await aFile().answer()).text(), '')
})

test('no piece before the browser has taken the one before', async () => {
  const { made, answer } = aFile('one', 'two', 'three', 'four')
  const reader = (await answer()).body?.getReader() ?? assert.fail('there is a body')
  await soon()
  assert.deepEqual(made, ['one'])
  await reader.read()
  await soon()
  assert.deepEqual(made, ['one', 'two'])
  await reader.cancel()
  assert.deepEqual(made, ['one', 'two', 'end'])
})

test('rejected while the status can still be chosen: a file whose first piece cannot be made', async () => {
  await assert.rejects(aFile(new Error('away')).answer(), /away/)
})

test('broken off without its end: a file whose later piece cannot be made', async () => {
  const response = await aFile('one', new Error('away'), 'three').answer()
  await assert.rejects(response.text(), /away/)
})

test('no longer made once the browser has left, before the first piece or later', async () => {
  const later = aFile('one', 'two', 'three')
  await later.answer()
  later.leave()
  await soon()
  assert.deepEqual(later.made, ['one', 'end'])
  const earlier = aFile('one', 'two', 'three')
  earlier.leave()
  await earlier.answer()
  assert.deepEqual(earlier.made, ['one', 'end'])
})
