import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addDays,
  daysBetween,
  FIRST_DAY,
  isUtcDay,
  isUtcInstant,
  LAST_DAY,
  LIST_PRESETS,
  monthEnd,
  presetOfDays,
  presetRange,
  resolveDateRange,
  utcDayOf,
} from './time.ts'

const days = fc.date({ min: new Date(`${FIRST_DAY}T00:00:00Z`), max: new Date(`${LAST_DAY}T23:59:59Z`), noInvalidDate: true }).map(utcDayOf)

test('every day from 0001-01-01 to 9999-12-31 is a day', () => {
  fc.assert(fc.property(days, (day) => isUtcDay(day)))
  for (const day of [FIRST_DAY, LAST_DAY, '2024-02-29', '2000-02-29']) assert.ok(isUtcDay(day), day)
})

test('year 0, days that do not exist and other spellings are not days', () => {
  for (const text of [
    '0000-01-01',
    '0000-12-31',
    '2025-02-29',
    '1900-02-29',
    '2026-00-10',
    '2026-13-01',
    '2026-04-31',
    '2026-01-00',
    '10000-01-01',
    '+010000-01-01',
    '-000001-01-01',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '2026-01-01\0',
    '٢٠٢٦-٠١-٠١',
    'today',
    'infinity',
    '',
  ])
    assert.ok(!isUtcDay(text), JSON.stringify(text))
})

test('an instant is UTC, exists, and lies on a day that is one', () => {
  for (const text of ['2026-11-21T22:08:48Z', '2026-11-21T22:08:48.123Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z'])
    assert.ok(isUtcInstant(text), text)
  for (const text of [
    '0000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T23:60:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T22:08:48+01:00',
    '2026-11-21T22:08:48',
    '2026-11-21',
    '2026-11-21T22:08:48Z\n',
    '',
  ])
    assert.ok(!isUtcInstant(text), JSON.stringify(text))
})

test('addDays stays between FIRST_DAY and LAST_DAY', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: -4_000_000, max: 4_000_000 }), (day, count) => {
      const reached = addDays(day, count)
      assert.ok(isUtcDay(reached), reached)
      assert.ok(count < 0 ? reached <= day : reached >= day)
    }),
  )
  assert.equal(addDays(FIRST_DAY, -1), FIRST_DAY)
  assert.equal(addDays(LAST_DAY, 1), LAST_DAY)
  assert.deepEqual(daysBetween('9999-12-30', LAST_DAY), ['9999-12-30', LAST_DAY])
  assert.deepEqual(daysBetween('2026-01-02', '2026-01-01'), [])
})

test('a month of any year ends on its own last day', () => {
  for (const [month, end] of [
    ['2024-02', '2024-02-29'],
    ['2026-11-21', '2026-11-30'],
    ['0001-01', '0001-01-31'],
    ['0099-12', '0099-12-31'],
    ['9999-12', LAST_DAY],
  ] as const)
    assert.equal(monthEnd(month), end)
})

const TODAY = '2026-11-21'

test('a preset of a month or a year is the whole of it, including the days to come', () => {
  assert.deepEqual(presetRange('thisMonth', TODAY), { from: '2026-11-01', to: '2026-11-30' })
  assert.deepEqual(presetRange('lastMonth', '2026-01-31'), { from: '2025-12-01', to: '2025-12-31' })
  assert.deepEqual(presetRange('thisYear', TODAY), { from: '2026-01-01', to: '2026-12-31' })
})

test('a preset of days ends today', () => {
  assert.deepEqual(presetRange('today', TODAY), { from: '2026-11-21', to: '2026-11-21' })
  assert.deepEqual(presetRange('yesterday', '2026-03-01'), { from: '2026-02-28', to: '2026-02-28' })
  assert.deepEqual(presetRange('last7', TODAY), { from: '2026-11-15', to: '2026-11-21' })
  assert.deepEqual(presetRange('last30', TODAY), { from: '2026-10-23', to: '2026-11-21' })
})

test('the days of every preset of the list are recognised as that preset', () => {
  for (const preset of LIST_PRESETS) {
    const { from, to } = presetRange(preset, TODAY)
    assert.equal(presetOfDays(from, to, TODAY), preset)
  }
  assert.equal(presetOfDays('2026-11-01', '2026-11-02', TODAY), undefined)
})

test('totals of this month and the list of this month have the same range', () => {
  assert.deepEqual(resolveDateRange({ dates: 'thisMonth', from: null, to: null }, TODAY), presetRange('thisMonth', TODAY))
})

test('days of an address win over its preset', () => {
  assert.deepEqual(resolveDateRange({ dates: 'today', from: '2026-02-03', to: '2026-02-01' }, TODAY), {
    from: '2026-02-01',
    to: '2026-02-03',
  })
  assert.deepEqual(resolveDateRange({ dates: 'today', from: '2026-02-03', to: null }, TODAY), { from: '2026-02-03', to: null })
  assert.deepEqual(resolveDateRange({ dates: 'always', from: null, to: null }, TODAY), { from: null, to: null })
})
