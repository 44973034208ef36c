import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareAmounts, formatChange, rangeBefore } from './finance-comparison.ts'

const preset = (dates: Parameters<typeof rangeBefore>[0]['dates']) => ({ dates, from: null, to: null })
const own = (from: string | null, to: string | null) => ({ dates: 'thisMonth' as const, from, to })

test('the same days of the month before, and its last day where it is shorter', () => {
  assert.deepEqual(rangeBefore(preset('thisMonth'), '2026-11-22'), { from: '2026-10-01', to: '2026-10-22' })
  assert.deepEqual(rangeBefore(preset('thisMonth'), '2026-03-31'), { from: '2026-02-01', to: '2026-02-28' })
  assert.deepEqual(rangeBefore(preset('thisMonth'), '2026-01-15'), { from: '2025-12-01', to: '2025-12-15' })
})

test('the whole month before a whole month, and the same days of the year before', () => {
  assert.deepEqual(rangeBefore(preset('lastMonth'), '2026-03-05'), { from: '2026-01-01', to: '2026-01-31' })
  assert.deepEqual(rangeBefore(preset('thisYear'), '2028-02-29'), { from: '2027-01-01', to: '2027-02-28' })
})

test('as many days directly before any other range, without days still to come', () => {
  assert.deepEqual(rangeBefore(preset('today'), '2026-11-01'), { from: '2026-10-31', to: '2026-10-31' })
  assert.deepEqual(rangeBefore(preset('last7'), '2026-11-22'), { from: '2026-11-09', to: '2026-11-15' })
  assert.deepEqual(rangeBefore(own('2026-11-10', '2026-11-12'), '2026-11-22'), { from: '2026-11-07', to: '2026-11-09' })
  assert.deepEqual(rangeBefore(own('2026-11-21', '9999-12-31'), '2026-11-22'), { from: '2026-11-19', to: '2026-11-20' })
  assert.deepEqual(rangeBefore(own('2026-11-21', null), '2026-11-22'), { from: '2026-11-19', to: '2026-11-20' })
})

test('null for all days, an open beginning, the future and the first day of the calendar', () => {
  for (const query of [preset('always'), own(null, '2026-11-12'), own('2027-01-01', '2027-01-02'), own('0001-01-01', '2026-01-01')])
    assert.equal(rangeBefore(query, '2026-11-22'), null)
})

test('an exact difference, and a percentage only of an amount above zero', () => {
  assert.deepEqual(compareAmounts('104.2', '100'), { difference: '4.2', thousandths: 42n })
  assert.deepEqual(compareAmounts('87.5', '100'), { difference: '-12.5', thousandths: -125n })
  assert.deepEqual(compareAmounts('90071992547409930001', '90071992547409930000'), { difference: '1', thousandths: 0n })
  assert.deepEqual(compareAmounts('500', '0'), { difference: '500', thousandths: null })
  assert.deepEqual(compareAmounts('0', '0'), { difference: '0', thousandths: null })
  assert.deepEqual(compareAmounts('1100', '100.02'), { difference: '999.98', thousandths: 9998n })
  assert.deepEqual(compareAmounts('1100', '100'), { difference: '1000', thousandths: null })
  assert.deepEqual(compareAmounts('500', '-100'), { difference: '600', thousandths: null })
  assert.deepEqual(compareAmounts('-100', '500'), { difference: '-600', thousandths: null })
  assert.deepEqual(compareAmounts('0', '0.5'), { difference: '-0.5', thousandths: -1000n })
})

test('a percentage with sign and one decimal in both languages', () => {
  assert.deepEqual(
    [42n, -125n, 0n, 12_345_678n].map((each) => formatChange(each, 'en')),
    ['+4.2%', '−12.5%', '0.0%', '+1,234,567.8%'],
  )
  assert.equal(formatChange(-125n, 'fr'), '−12,5\u00a0%')
})
