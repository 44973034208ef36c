import assert from 'node:assert/strict'
import { test } from 'node:test'
import { togglePage, toggleRow } from './table-state.ts'

const PAGE = ['a', 'b', 'c', 'd']

test('a click selects a row and a second click deselects it; rows of other pages stay', () => {
  const selected = toggleRow({ x: true }, PAGE, 'b', null)
  assert.deepEqual(selected, { x: true, b: true })
  assert.deepEqual(toggleRow(selected, PAGE, 'b', null), { x: true })
})

test('all rows up to the last clicked one have the state of the row that is clicked with Shift, in both directions', () => {
  assert.deepEqual(toggleRow({ b: true }, PAGE, 'd', 'b'), { b: true, c: true, d: true })
  assert.deepEqual(toggleRow({ d: true }, PAGE, 'b', 'd'), { b: true, c: true, d: true })
  assert.deepEqual(toggleRow({ a: true, b: true, c: true }, PAGE, 'c', 'b'), { a: true })
})

test('Shift after a click on another page selects the clicked row only', () => {
  assert.deepEqual(toggleRow({ x: true }, PAGE, 'c', 'x'), { x: true, c: true })
})

test('the checkbox of the page selects all of its rows, or none if all were selected', () => {
  assert.deepEqual(togglePage({ x: true, a: true }, PAGE), { x: true, a: true, b: true, c: true, d: true })
  assert.deepEqual(togglePage({ x: true, a: true, b: true, c: true, d: true }, PAGE), { x: true })
})
