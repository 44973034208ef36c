import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCleanInput, isCleanText } from './clean-text.ts'

test('true for text in any script, false for NUL and half a surrogate pair', () => {
  for (const text of ['', 'Aminata', 'é', '日本', '😀', '\n\t', '\u2028', '\u202e', 'e\u0301'.repeat(1_000)])
    assert.ok(isCleanText(text), text)
  for (const text of ['\0', 'a\0b', '\ud83d', '\ude00', 'a\udc00\ud800b']) assert.ok(!isCleanText(text), JSON.stringify(text))
})

test('false for an input with one bad text, wherever it is', () => {
  const form = new FormData()
  form.set('name', 'a\0')
  const bad = 'a\0'
  for (const input of [bad, [bad], { name: bad }, { [bad]: 1 }, { items: [{ note: bad }] }, form, new Map([['a', bad]])])
    assert.ok(!isCleanInput(input))
  for (const input of [null, undefined, 5, true, 5n, {}, [], { items: [{ note: 'fine' }] }, new FormData()]) assert.ok(isCleanInput(input))
})

test('false for an input that is nested deeper than any of ours, without walking to its end', () => {
  let nested: unknown = 'fine'
  for (let depth = 0; depth < 100_000; depth++) nested = [nested]
  assert.equal(isCleanInput(nested), false)
})
