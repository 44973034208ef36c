import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latestMonths, matchesTyped } from './palette.ts'

test('a label matches when each typed word starts one of its words, whatever the case and the accents', () => {
  for (const [typed, label, expected] of [
    ['', 'Transactions', true],
    ['trans', 'Transactions', true],
    ['NEW pay', 'New payment', true],
    ['pay new', 'New payment', true],
    ['reglements', 'Règlements', true],
    ['actions', 'Transactions', false],
    ['new batch', 'New payment', false],
  ] as const)
    assert.equal(matchesTyped(typed, label), expected, `${typed} in ${label}`)
})

test('the latest months begin with the current one, cross the year and end on their own last days', () => {
  const months = latestMonths('2026-02-28', 'en')
  assert.equal(months.length, 12)
  assert.deepEqual(months.slice(0, 3), [
    { from: '2026-02-01', to: '2026-02-28', name: 'February 2026' },
    { from: '2026-01-01', to: '2026-01-31', name: 'January 2026' },
    { from: '2025-12-01', to: '2025-12-31', name: 'December 2025' },
  ])
  assert.equal(latestMonths('2026-10-31', 'fr')[0]?.name, 'octobre 2026')
})
