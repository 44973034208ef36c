import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPastedColumn } from './read-pasted-column.ts'

test('a line each, as spreadsheets of every system write them; empty cells at the end are left out, others are kept', () => {
  for (const text of ['5000\n\n 7 500 \n', '5000\r\n\r\n7 500\r\n\r\n', '5000\r\r7 500'])
    assert.deepEqual(readPastedColumn(text), { values: ['5000', '', '7 500'] }, JSON.stringify(text))
  assert.deepEqual(readPastedColumn('5000'), { values: ['5000'] })
  assert.deepEqual(readPastedColumn(''), { values: [] })
})

test('a cell in quotation marks may contain line breaks; a quotation mark within a word is itself', () => {
  assert.deepEqual(readPastedColumn('"Awa\nBa"\r\n"the ""old"" one"\n5" pipe\n"open'), {
    values: ['Awa Ba', 'the "old" one', '5" pipe', '"open'],
  })
})

test('refused: several columns, more values than one repair may change, a text that no cell can have', () => {
  assert.deepEqual(readPastedColumn('Awa\t5000\nKoffi\t700'), { problem: 'several_columns' })
  assert.deepEqual(readPastedColumn('5\n'.repeat(501)), { problem: 'too_many' })
  assert.ok('values' in readPastedColumn('5\n'.repeat(500)))
  assert.deepEqual(readPastedColumn(`5\n${'x'.repeat(501)}`), { problem: 'too_long' })
})

test('a hundred thousand quotation marks are read in a moment', () => {
  const before = performance.now()
  readPastedColumn('"'.repeat(100_000))
  readPastedColumn('"a\n'.repeat(30_000))
  assert.ok(performance.now() - before < 2_000)
})
