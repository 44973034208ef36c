import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { readUploadAnswer } from './file-problem.ts'

test('the batch, or the problem of the file with the values of its text', () => {
  const batchId = randomUUID()
  assert.deepEqual(readUploadAnswer({ batchId }), { batchId })
  const problem = { kind: 'too_many_rows', values: { rows: 20_000 } }
  assert.deepEqual(readUploadAnswer({ problem }), { problem })
  assert.deepEqual(readUploadAnswer({ problem: { kind: 'empty' } }), { problem: { kind: 'empty' } })
})

test('undefined for a refusal, a problem that this page has no text for, and an answer that is not ours', () => {
  for (const json of [
    { code: 'forbidden' },
    { problem: { kind: 'new_kind' } },
    { problem: null },
    { batchId: 7 },
    { batchId: '../x' },
    null,
    'ok',
    [],
  ])
    assert.equal(readUploadAnswer(json), undefined, JSON.stringify(json))
})
