import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  isJsonObject,
  JSON_DEPTH_MAX,
  JSON_NAMES_MAX,
  JSON_VALUES_MAX,
  JsonNumber,
  type JsonValue,
  parseJson,
  parseJsonBytes,
  repeatedNames,
} from './json.ts'

/** The value that JSON.parse returns: numbers become floats. */
function toPlain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(toPlain)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]))
}

/** Excludes what our parser refuses on purpose from the comparison with JSON.parse. */
function isOrdinary(text: string): boolean {
  return text.isWellFormed() && !/\\u[dD][89a-fA-F]/.test(text)
}

test('the value of JSON.parse for everything that JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (text, pretty) => {
      const written = pretty ? JSON.stringify(JSON.parse(text), null, 2) : text
      if (!isOrdinary(written)) return
      const result = parseJson(written)
      assert.ok(result.ok, `${written}: ${result.ok ? '' : result.error}`)
      assert.deepEqual(JSON.stringify(toPlain(result.value)), JSON.stringify(JSON.parse(written)))
    }),
    { numRuns: 500 },
  )
})

test('an error for everything that JSON.parse refuses, and an equal value otherwise', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"b"',
    'true',
    'null',
    '1',
    '-',
    '0',
    '01',
    '1.',
    '.5',
    '1e5',
    ' ',
    '\\',
    '\\n',
    '\\u0041',
    '\n',
    'é',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const result = parseJson(text)
      let expected: unknown
      try {
        expected = JSON.parse(text)
      } catch {
        assert.equal(result.ok, false, text)
        return
      }
      assert.ok(result.ok, text)
      assert.deepEqual(toPlain(result.value), expected, text)
    }),
    { numRuns: 3000 },
  )
})

test('a result, not an exception, for a document that is cut or changed anywhere', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(200), fc.string({ maxLength: 2, unit: 'binary' }), (text, place, noise) => {
      const broken = text.slice(0, place) + noise + text.slice(place + 1)
      assert.equal(typeof parseJson(broken).ok, 'boolean')
    }),
  )
})

test('the source text of each number', () => {
  for (const text of ['1e400', '-0', '0.001', '100000000000000000000000.10', '1E+2']) {
    const result = parseJson(`[${text}]`)
    assert.deepEqual(result, { ok: true, value: [new JsonNumber(text)] })
  }
})

test('the last value of a repeated name, and the name in `repeatedNames`, even when one is escaped', () => {
  for (const [text, names] of [
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a":1,"b":1,"a":1,"a":2,"b":2}', ['a', 'b']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"a":1,"b":{"a":2}}', []],
  ] as const) {
    const result = parseJson(text)
    assert.ok(result.ok && isJsonObject(result.value))
    assert.deepEqual([...repeatedNames(result.value)], names, text)
    assert.deepEqual(toPlain(result.value), JSON.parse(text), text)
  }
})

test(`an object of ${JSON_NAMES_MAX} names is read, and one of more is refused`, () => {
  const object = (count: number) => `{${Array.from({ length: count }, (_, index) => `"n${index}":1`).join(',')}}`
  assert.equal(parseJson(object(JSON_NAMES_MAX)).ok, true)
  const refused = parseJson(object(JSON_NAMES_MAX + 1))
  assert.match(refused.ok ? '' : refused.error, /^an object has more than 1000 names at position/)
})

test('__proto__ and constructor are names like any other', () => {
  const result = parseJson('{"__proto__":{"polluted":true},"constructor":1,"toString":2}')
  assert.ok(result.ok)
  assert.deepEqual(Object.keys(result.value as object), ['__proto__', 'constructor', 'toString'])
  assert.equal(Object.getPrototypeOf(result.value), Object.prototype)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

test('an error for a surrogate without a partner, written or escaped; pairs unchanged', () => {
  for (const text of [
    '"\ud800"',
    '"\udc00"',
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800x"',
    '"\\ud800\\u0041"',
    '"\ud83d\\ude00"',
    '"\\ud83d\ude00"',
    '"\\udc00\\ud800"',
  ]) {
    assert.equal(parseJson(text).ok, false, JSON.stringify(text))
  }
  assert.deepEqual(parseJson('"\\ud83d\\ude00"'), { ok: true, value: '😀' })
  assert.deepEqual(parseJson('"😀"'), { ok: true, value: '😀' })
})

test('an escaped NUL as part of its text; an error for a raw NUL', () => {
  assert.deepEqual(parseJson('"a\\u0000b"'), { ok: true, value: 'a\0b' })
  assert.deepEqual(parseJson('{"a\\u0000":true}'), { ok: true, value: { 'a\0': true } })
  for (const text of ['"\0"', '{"a\0":1}', '\0', '"a"\0']) assert.equal(parseJson(text).ok, false)
})

test(`a document of ${JSON_VALUES_MAX} values is read, and one of more is refused`, () => {
  const zeros = (count: number) => `[${Array(count).fill(0).join(',')}]`
  assert.equal(parseJson(zeros(JSON_VALUES_MAX - 1)).ok, true)
  const refused = parseJson(zeros(JSON_VALUES_MAX))
  assert.match(refused.ok ? '' : refused.error, /^the document has more than 50000 values at position/)
})

test(`nesting is allowed ${JSON_DEPTH_MAX} deep and no deeper, however much deeper`, () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.equal(parseJson(nested(JSON_DEPTH_MAX)).ok, true)
  assert.equal(parseJson(nested(JSON_DEPTH_MAX + 1)).ok, false)
  assert.equal(parseJson('['.repeat(60_000)).ok, false)
  assert.equal(parseJson('{"a":'.repeat(60_000)).ok, false)
})

test('an error for bytes that are not UTF-8, and for a byte order mark', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0xef, 0xbb, 0xbf, 0x31],
    [0x22, 0xe2, 0x82],
  ]) {
    assert.equal(parseJsonBytes(Uint8Array.from(bytes)).ok, false)
  }
  assert.deepEqual(parseJsonBytes(new TextEncoder().encode('"é😀漢"')), { ok: true, value: 'é😀漢' })
})

test('an error with the position and without the content', () => {
  const result = parseJson('{"phoneNumber": 237699000111 secret}')
  assert.deepEqual(result, { ok: false, error: 'a comma or the end of an object was expected at position 29' })
  assert.deepEqual(parseJson(''), { ok: false, error: 'the text ends too early at position 0' })
})
