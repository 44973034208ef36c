import assert from 'node:assert/strict'
import { test } from 'node:test'
import en from '#lib/i18n/en.json' with { type: 'json' }
import fr from '#lib/i18n/fr.json' with { type: 'json' }
import { createTranslate } from '#lib/i18n/translate.ts'
import { durationText } from './duration-text.ts'

test('milliseconds, seconds with one decimal, minutes and seconds, hours and minutes', () => {
  const t = createTranslate('en', en)
  const shown = [0, 999, 1_000, 59_400, 59_500, 60_000, 1_369_500, 3_599_400, 3_599_500, 5_430_000]
  assert.deepEqual(
    shown.map((ms) => durationText(t, 'en', ms)),
    ['0 ms', '999 ms', '1.0 s', '59.4 s', '1 min 0 s', '1 min 0 s', '22 min 50 s', '59 min 59 s', '1 h 0 min', '1 h 31 min'],
  )
  assert.equal(durationText(createTranslate('fr', fr), 'fr', 1_500), '1,5\u00a0s')
})
