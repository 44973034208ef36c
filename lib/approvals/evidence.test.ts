import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import { MESSAGES } from '#server/messages.ts'
import { deciderText, endedBy } from './evidence.ts'

function translateIn(locale: Locale) {
  return createTranslate(locale, MESSAGES[locale])
}

test('the program is named where it decided in the name of a checker, in both languages', () => {
  const decider = { checkerName: 'Mariam Diallo', programName: 'kora-api' }
  assert.equal(deciderText(translateIn('en'), decider), 'Mariam Diallo (by program kora-api)')
  assert.equal(deciderText(translateIn('fr'), decider), 'Mariam Diallo (par le programme kora-api)')
  assert.equal(endedBy(translateIn('en'), { by: 'Mariam Diallo', programName: 'kora-api' }), 'Mariam Diallo (by program kora-api)')
})

test('only the checker is named where the checker decided', () => {
  assert.equal(deciderText(translateIn('en'), { checkerName: 'Mariam Diallo', programName: null }), 'Mariam Diallo')
  assert.equal(endedBy(translateIn('en'), { by: null, programName: null }), '')
})
