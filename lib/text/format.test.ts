import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTranslate } from '#lib/i18n/translate.ts'
import { formatDuration, formatRelative, formatTime, formatUtc } from '#lib/time/format-time.ts'
import { MESSAGES } from '#server/messages.ts'
import { formatAmount, formatPhone, formatShare, initialsOf, shortenId } from './format.ts'

const t = createTranslate('en', MESSAGES.en)

test('1,250,000 in English and 1 250 000 in French, exact at any size', () => {
  assert.equal(formatAmount('1250000', 'en'), '1,250,000')
  assert.equal(formatAmount('100.5', 'en'), '100.50')
  assert.equal(formatAmount('9007199254740993.12', 'fr'), '9\u00a0007\u00a0199\u00a0254\u00a0740\u00a0993,12')
  assert.equal(formatAmount('-1234', 'en'), '\u22121,234')
  assert.equal(formatAmount('999', 'fr'), '999')
  assert.equal(formatShare(0.971, 'fr'), '97,1\u00a0%')
  assert.equal(formatShare(0.971, 'en'), '97.1%')
})

test('237 6 90 44 12 08 as the country groups it; an unusual number unchanged', () => {
  assert.equal(formatPhone('237690441208'), '237 6 90 44 12 08')
  assert.equal(formatPhone('2250758112490'), '225 07 58 11 24 90')
  assert.equal(formatPhone('256772408115'), '256 772 408 115')
  assert.equal(formatPhone('23769044'), '23769044')
})

test('the time in the zone of the person, and in UTC', () => {
  const instant = new Date('2026-11-20T23:24:08Z')
  assert.equal(formatTime(t, 'Africa/Douala', instant, 'full'), '21 Nov 2026, 00:24:08')
  assert.equal(formatTime(t, 'Nowhere/Nothing', instant, 'time'), '23:24')
  assert.equal(formatUtc(t, instant), '20 Nov 2026, 23:24:08 UTC')
})

test('6 d 23 h: the two largest units of a duration', () => {
  assert.equal(formatDuration(t, (6 * 24 + 23) * 3_600_000), '6 d 23 h')
  assert.equal(formatDuration(t, 59_999), '59 s')
  assert.equal(formatRelative(t, new Date(0), new Date(180_000)), '3 min ago')
  assert.equal(formatRelative(t, new Date(3_600_000), new Date(0)), 'in 1 h 0 min')
  assert.equal(formatRelative(t, new Date(0), new Date(12_000)), '12 s ago')
  assert.equal(formatRelative(t, new Date(0), new Date(59_999), true), 'now')
  assert.equal(formatRelative(t, new Date(0), new Date(60_000), true), '1 min ago')
})

test('both ends of an id, both initials of a name', () => {
  assert.equal(shortenId('3fa85f64-5717-4562-b3fc-2c963f66afa6'), '3fa8\u20266afa6')
  assert.equal(initialsOf('Amadou Diallo'), 'AD')
  assert.equal(initialsOf('  '), '?')
})
