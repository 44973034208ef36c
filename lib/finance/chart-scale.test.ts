import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisValues, formatAxisValue } from './chart.ts'

test('three or four round values that end at or just above the highest', () => {
  assert.deepEqual(axisValues(4), [1, 2, 3, 4])
  assert.deepEqual(axisValues(0.4), [0.1, 0.2, 0.3, 0.4])
  assert.deepEqual(axisValues(8_100_000), [2_500_000, 5_000_000, 7_500_000, 10_000_000])
  for (let highest = 0.01; highest < 1e15; highest *= 1.37) {
    const values = axisValues(highest)
    assert.ok(values.length === 3 || values.length === 4, `${highest}: ${values}`)
    assert.ok((values.at(-1) ?? 0) >= highest * (1 - 1e-9) && (values.at(-2) ?? 0) < highest, `${highest}: ${values}`)
  }
})

test('no value for a chart without amounts', () => {
  assert.deepEqual(axisValues(0), [])
})

test('short values in both languages', () => {
  assert.deepEqual(
    [500, 2_500, 250_000, 2_500_000, 10_000_000_000].map((value) => formatAxisValue(value, 'en')),
    ['500', '2.5k', '250k', '2.5M', '10bn'],
  )
  assert.deepEqual(
    [0.5, 2_500, 2_500_000_000].map((value) => formatAxisValue(value, 'fr')),
    ['0,5', '2,5\u00a0k', '2,5\u00a0Md'],
  )
})
