import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastDueAt, nextDueAt, type ScheduleTime } from './withdrawal-schedule.ts'

const daily: ScheduleTime = { every: 'day', weekday: null, monthDay: null, minute: 8 * 60 + 30 }
const monday: ScheduleTime = { every: 'week', weekday: 1, monthDay: null, minute: 0 }
const monthly: ScheduleTime = { every: 'month', weekday: null, monthDay: 28, minute: 23 * 60 + 59 }
const due = (schedule: ScheduleTime, zone: string, now: string) =>
  [lastDueAt, nextDueAt].map((of) => of(schedule, zone, new Date(now)).toISOString().slice(0, 16))

test('due today from its very minute on, in the zone of the application, and tomorrow next', () => {
  assert.deepEqual(due(daily, 'Africa/Douala', '2026-11-27T07:30:00Z'), ['2026-11-27T07:30', '2026-11-28T07:30'])
  assert.deepEqual(due(daily, 'Africa/Douala', '2026-11-27T07:29:59Z'), ['2026-11-26T07:30', '2026-11-27T07:30'])
  assert.deepEqual(due(daily, 'Africa/Kampala', '2026-11-27T05:30:00Z'), ['2026-11-27T05:30', '2026-11-28T05:30'])
})

test('due on its weekday of the zone: Monday 00:00 in Douala is Sunday in UTC', () => {
  assert.deepEqual(due(monday, 'Africa/Douala', '2026-11-29T23:00:00Z'), ['2026-11-29T23:00', '2026-12-06T23:00'])
  assert.deepEqual(due(monday, 'UTC', '2026-11-29T23:59:00Z'), ['2026-11-23T00:00', '2026-11-30T00:00'])
})

test('due on its day of the month, over the end of a year and in February', () => {
  assert.deepEqual(due(monthly, 'UTC', '2027-01-05T00:00:00Z'), ['2026-12-28T23:59', '2027-01-28T23:59'])
  assert.deepEqual(due(monthly, 'UTC', '2027-03-28T23:58:00Z'), ['2027-02-28T23:59', '2027-03-28T23:59'])
})

test('due once on a day whose clock changes, also in the hour that is skipped', () => {
  const skipped: ScheduleTime = { ...daily, minute: 2 * 60 + 30 }
  assert.deepEqual(due(daily, 'Europe/Paris', '2026-10-25T12:00:00Z'), ['2026-10-25T07:30', '2026-10-26T07:30'])
  assert.deepEqual(due(skipped, 'Europe/Paris', '2027-03-28T12:00:00Z')[1], '2027-03-29T00:30')
})
