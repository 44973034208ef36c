import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyRows } from './table-state.ts'

const rows = (text: string) => [...text].map((transactionId) => ({ transactionId }))
const show = (text: string, shown: string | null) => {
  const { shown: left, heldBack } = steadyRows(rows(text), shown === null ? null : new Set(shown))
  return [left.map((row) => row.transactionId).join(''), heldBack]
}

test('all rows of a list that was not shown before', () => {
  assert.deepEqual(show('abc', null), ['abc', 0])
})

test('new rows above and between the shown ones are held back, and those below are not', () => {
  assert.deepEqual(show('xaybz', 'ab'), ['abz', 2])
})

test('rows that are gone leave, and hold nothing back', () => {
  assert.deepEqual(show('xb', 'ab'), ['b', 1])
  assert.deepEqual(show('xy', 'ab'), ['xy', 0])
  assert.deepEqual(show('', 'ab'), ['', 0])
})
