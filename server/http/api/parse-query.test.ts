import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuery } from './read-query.ts'

test('the parameters that URLSearchParams wrote', () => {
  const texts = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
  fc.assert(
    fc.property(
      fc.dictionary(
        texts.filter((name) => name !== '' && name !== '__proto__'),
        texts,
        { noNullPrototype: true },
      ),
      (parameters) => {
        const result = parseQuery(new URLSearchParams(parameters).toString())
        assert.deepEqual(result, { ok: true, value: parameters })
      },
    ),
  )
})

test('an error for a repeated name, a broken escape, bytes that are not UTF-8 and a NUL', () => {
  for (const search of ['a=1&a=2', 'a=1&%61=2', 'a=%', 'a=%zz', 'a=%ff', 'a=%ed%a0%80', 'a=%00', '%00=a', 'a=\ud800'])
    assert.equal(parseQuery(search).ok, false, search)
})

test('parameters without empty parts, with empty values, and with __proto__ as a name like any other', () => {
  assert.deepEqual(parseQuery(''), { ok: true, value: {} })
  assert.deepEqual(parseQuery('&a&b=&&c=x=y&'), { ok: true, value: { a: '', b: '', c: 'x=y' } })
  const result = parseQuery('__proto__=1')
  assert.ok(result.ok && Object.hasOwn(result.value, '__proto__'))
})
