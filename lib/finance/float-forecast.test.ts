import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastFloat, HISTORY_MS, type WeekHourFlow, weekHourOf } from './float-forecast.ts'

/** A Tuesday. */
const NOW = new Date('2026-11-24T10:00:00Z')
const FOUR_WEEKS = new Date(NOW.getTime() - HISTORY_MS)
/** 100 (of hundredths) in each of the four weeks, in these hours of the day, every day. */
const daily = (...hours: number[]): WeekHourFlow[] =>
  Array.from({ length: 168 }, (_, place) => new Date(NOW.getTime() + place * 3_600_000))
    .filter((at) => hours.includes(at.getUTCHours()))
    .map((at) => ({ weekHour: weekHourOf(at), outMinor: 40_000n, inMinor: 20_000n }))
const account = (overrides: Partial<Parameters<typeof forecastFloat>[0]> = {}) => ({
  ...{ balanceMinor: 45_000n, committedMinor: 0n, isShared: false, flows: daily(12, 13), since: FOUR_WEEKS },
  ...overrides,
})

test('lasts until the minute of the hour in which the usual outflow has used it up', () => {
  // 20,000 a day: 40,000 by Wednesday 14:00, the rest in the first half of Thursday 12:00 to 13:00.
  assert.equal(forecastFloat(account(), NOW).lastsUntil?.toISOString(), '2026-11-26T12:30:00.000Z')
})

test('the top-up is what is missing at the lowest point of two days, in whole units', () => {
  assert.equal(forecastFloat(account({ balanceMinor: 40_000n }), NOW).topUpMinor, 0n)
  assert.equal(forecastFloat(account({ balanceMinor: 39_999n }), NOW).topUpMinor, 100n)
  assert.equal(forecastFloat(account({ balanceMinor: 12_345n }), NOW).topUpMinor, 27_700n)
})

test('what is held and what waits for approval leaves first; short at once if that is more than the balance', () => {
  const { lastsUntil, topUpMinor } = forecastFloat(account({ committedMinor: 46_000n }), NOW)
  assert.deepEqual([lastsUntil?.getTime(), topUpMinor], [NOW.getTime(), 41_000n])
})

test('collects fill an account that both share, and no other', () => {
  assert.equal(forecastFloat(account({ isShared: true, balanceMinor: 20_000n }), NOW).topUpMinor, 0n)
  assert.equal(forecastFloat(account({ isShared: false, balanceMinor: 20_000n }), NOW).topUpMinor, 20_000n)
})

test('null without any outflow, and when it lasts longer than two weeks', () => {
  assert.equal(forecastFloat(account({ flows: [] }), NOW).lastsUntil, null)
  assert.equal(forecastFloat(account({ balanceMinor: 280_000n }), NOW).lastsUntil, null)
  assert.ok(forecastFloat(account({ balanceMinor: 279_999n }), NOW).lastsUntil)
})

test('only Fridays: it lasts until the Friday, by the weekday and not by the mean of all days', () => {
  const friday = { weekHour: weekHourOf(new Date('2026-11-27T09:00:00Z')), outMinor: 400_000n, inMinor: 0n }
  const { lastsUntil, topUpMinor } = forecastFloat(account({ balanceMinor: 50_000n, flows: [friday] }), NOW)
  assert.deepEqual([lastsUntil?.toISOString(), topUpMinor], ['2026-11-27T09:30:00.000Z', 0n])
})

test('a history of nine days: an hour that was in it once or twice counts as often', () => {
  const since = new Date(NOW.getTime() - 9 * 86_400_000)
  const at = (day: string) => weekHourOf(new Date(`${day}T12:00:00Z`))
  // Tuesday 12:00 was in it once, Monday 12:00 twice: the hours of 10,000 each time.
  const flows = [
    { weekHour: at('2026-11-24'), outMinor: 10_000n, inMinor: 0n },
    { weekHour: at('2026-11-23'), outMinor: 20_000n, inMinor: 0n },
  ]
  const { hours } = forecastFloat(account({ flows, since }), NOW)
  assert.equal(hours.find(({ at: hour }) => hour.toISOString().startsWith('2026-11-24T12'))?.usualOutMinor, 10_000n)
  assert.ok(
    forecastFloat(account({ flows, since, balanceMinor: 20_000n }), NOW)
      .lastsUntil?.toISOString()
      .startsWith('2026-12-01'),
  )
})

test('of the present hour only the rest counts', () => {
  const { hours } = forecastFloat(account(), new Date('2026-11-24T12:45:00Z'))
  assert.deepEqual([hours[0]?.usualOutMinor, hours[1]?.usualOutMinor, hours.length], [2_500n, 10_000n, 48])
})
