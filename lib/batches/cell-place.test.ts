import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowProblem } from './batch-fields.ts'
import { isCorrectedAlike, nextProblem } from './cell-place.ts'

const row = (rowNumber: number, fields: RowProblem['field'][], exclusion: string | null = null) => ({
  rowNumber,
  exclusion,
  problems: fields.map((field): RowProblem => ({ field, kind: 'text_missing' })),
})

const ROWS = [row(2, []), row(4, ['amount', 'phoneNumber']), row(5, ['amount'], 'Left'), row(7, ['country', 'operator'])]

test('the cells with problems in the order of the table, both ways; rows that were left out are passed', () => {
  const walked: string[] = []
  let at = nextProblem(ROWS, { rowNumber: 0, field: 'phoneNumber' }, 1)
  for (; at; at = nextProblem(ROWS, at, 1)) walked.push(`${at.rowNumber} ${at.field}`)
  assert.deepEqual(walked, ['4 phoneNumber', '4 amount', '7 operator', '7 country'])
  const back: string[] = []
  at = nextProblem(ROWS, { rowNumber: 9, field: 'phoneNumber' }, -1)
  for (; at; at = nextProblem(ROWS, at, -1)) back.push(`${at.rowNumber} ${at.field}`)
  assert.deepEqual(back, walked.toReversed())
})

test('from a cell that has no problem, or is no longer there, the walk goes on at its place', () => {
  assert.deepEqual(nextProblem(ROWS, { rowNumber: 4, field: 'operator' }, 1), { rowNumber: 4, field: 'amount' })
  assert.deepEqual(nextProblem(ROWS, { rowNumber: 6, field: 'amount' }, -1), { rowNumber: 4, field: 'amount' })
  assert.equal(nextProblem([], { rowNumber: 6, field: 'amount' }, 1), undefined)
})

test('equal values are corrected alike only where they say what was meant', () => {
  for (const kind of ['operator_unknown', 'amount_limits', 'phone_length'] as const) assert.ok(isCorrectedAlike(kind), kind)
  for (const kind of ['phone_digits_lost', 'phone_missing', 'amount_missing', 'amount_error', 'text_missing', 'phone_date'] as const)
    assert.ok(!isCorrectedAlike(kind), kind)
})
