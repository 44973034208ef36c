import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldedWords, foldText } from './clean-text.ts'

test('returns lower case without accents, with one space between words', () => {
  assert.equal(foldText('  Aïssatou   N’DIAYE-Çelik '), 'aissatou n diaye celik')
})

test('returns the letters of other scripts', () => {
  assert.equal(foldText('محمد الأمين'), 'محمد الامين')
})

test('returns each word once, and no more than eight', () => {
  assert.deepEqual(foldedWords('Awa awa Diop'), ['awa', 'diop'])
  assert.equal(foldedWords('a b c d e f g h i j').length, 8)
})

test('returns no word for punctuation alone', () => {
  assert.deepEqual(foldedWords('-- …'), [])
})
