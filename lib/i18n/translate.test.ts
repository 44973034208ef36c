import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localeFromHeader } from './locale.ts'
import { createTranslate, pickMessages } from './translate.ts'

const messages = {
  'table.range': '{from} to {to} of {total}',
  'table.selected': '{count, plural, =0 {none} one {# row} other {# rows}} selected',
}

test('values and plurals in the message, numbers with the groups of the language', () => {
  const t = createTranslate('en', messages)
  assert.equal(t('table.range', { from: 1, to: 50, total: 17_535 }), '1 to 50 of 17,535')
  assert.equal(t('table.selected', { count: 0 }), 'none selected')
  assert.equal(t('table.selected', { count: 1 }), '1 row selected')
  assert.equal(t('table.selected', { count: 1_200 }), '1,200 rows selected')
})

test('the singular for 0 and 1 in French', () => {
  const t = createTranslate('fr', { 'table.selected': '{count, plural, one {# ligne} other {# lignes}}' })
  assert.deepEqual(
    [0, 1, 2].map((count) => t('table.selected', { count })),
    ['0 ligne', '1 ligne', '2 lignes'],
  )
})

test('the key itself for a missing message; a value that contains a pattern unchanged', () => {
  const t = createTranslate('en', messages)
  assert.equal(t('ui.close'), 'ui.close')
  assert.equal(t('table.range', { from: '{to}', to: '$&', total: 1 }), '{to} to $& of 1')
})

test('the first supported language of the browser, else English', () => {
  assert.equal(localeFromHeader('fr-CM,fr;q=0.9,en;q=0.8'), 'fr')
  assert.equal(localeFromHeader('de, en;q=0.3, fr;q=0.7'), 'fr')
  assert.equal(localeFromHeader('de'), 'en')
  assert.equal(localeFromHeader('fr;q=0'), 'en')
  assert.equal(localeFromHeader(null), 'en')
})

test('the messages of the given prefixes and no others', () => {
  assert.deepEqual(pickMessages({ 'ui.close': 'Close', 'table.none': 'None' }, ['ui.']), { 'ui.close': 'Close' })
})
