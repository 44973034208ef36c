import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countDays, FIRST_DAY, LAST_DAY, utcDayOf } from '#lib/time/time.ts'
import { chartPeriods } from './chart.ts'

const days = fc.date({ min: new Date(`${FIRST_DAY}T00:00:00Z`), max: new Date(`${LAST_DAY}T00:00:00Z`), noInvalidDate: true }).map(utcDayOf)

test('at most 120 bars, in order and without gaps, for any two days, the last day in the last bar', () => {
  fc.assert(
    fc.property(days, days, (one, other) => {
      const [from = '', to = ''] = [one, other].toSorted()
      const { step, periods } = chartPeriods(from, to)
      const length = { day: 10, month: 7, year: 4 }[step]
      assert.ok(periods.length > 0 && periods.length <= 120)
      assert.deepEqual(periods, [...new Set(periods)].toSorted())
      assert.equal(periods.at(-1), to.slice(0, length))
      if (periods.length < 120) assert.equal(periods[0], from.slice(0, length))
    }),
  )
})

test('up to 100 days are drawn by day, up to 120 months by month, more by year', () => {
  assert.equal(countDays('2026-01-01', '2026-04-10'), 100)
  assert.equal(chartPeriods('2026-01-01', '2026-04-10').step, 'day')
  assert.deepEqual(chartPeriods('2026-01-01', '2026-04-11'), { step: 'month', periods: ['2026-01', '2026-02', '2026-03', '2026-04'] })
  assert.equal(chartPeriods('2017-01-31', '2026-12-01').periods.length, 120)
  assert.equal(chartPeriods('2016-12-31', '2026-12-01').step, 'year')
  assert.deepEqual(chartPeriods(FIRST_DAY, LAST_DAY).periods.length, 120)
  assert.deepEqual(chartPeriods('2026-01-02', '2026-01-01').periods, [])
})
