import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePercent, writePercent } from './fees.ts'

test('millionths of a typed percentage, and the same text back', () => {
  for (const [typed, ppm, written] of [
    ['0.5', 5_000, '0.5'],
    ['0,5 %', 5_000, '0.5'],
    ['1', 10_000, '1'],
    ['0.0001', 1, '0.0001'],
    ['100', 1_000_000, '100'],
    ['0', 0, '0'],
  ] as const) {
    assert.equal(parsePercent(typed), ppm)
    assert.equal(writePercent(ppm, 'en'), written)
  }
  assert.equal(writePercent(5_000, 'fr'), '0,5')
})

test('undefined for what is no percentage from 0 to 100 with four decimals', () => {
  for (const typed of ['', '-1', '0.00001', '100.1', '1e1', 'abc', '١', '.5', '1.']) assert.equal(parsePercent(typed), undefined, typed)
})
