import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type AuditDetails, storableDetails, storableSubject } from './canonical-text.ts'

test('a subject and a text of 2,000 characters as they are, and a longer one cut to them with an ellipsis', () => {
  const [longest, longer] = ['x'.repeat(2_000), 'x'.repeat(2_001)]
  const cut = `${'x'.repeat(1_999)}…`
  assert.deepEqual([storableSubject(longest), storableSubject(longer)], [longest, cut])
  assert.deepEqual(storableDetails({ text: longest, list: [longer], [longer]: 1 }), { text: longest, list: [cut], [cut]: 1 })
})

test('a picture by its kind and SHA-256, so that two pictures that begin alike differ', () => {
  const picture = `data:image/png;base64,${'A'.repeat(4_000)}`
  const recorded = (logo: string) => storableDetails({ after: { logo } })
  assert.deepEqual(recorded(picture), { after: { logo: `image/png, SHA-256 ${createHash('sha256').update(picture).digest('hex')}` } })
  assert.notDeepEqual(recorded(`${picture}A`), recorded(`${picture}B`))
})

test('two hundred items of a list and of an object, and how many more there were', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, place) => place)
  const object = (count: number) => Object.fromEntries(numbers(count).map((place) => [`key ${place}`, place]))
  assert.deepEqual(storableDetails({ list: numbers(200) }), { list: numbers(200) })
  assert.deepEqual(storableDetails({ list: numbers(201) }), { list: [...numbers(200), '… 1'] })
  assert.deepEqual(storableDetails({ nested: object(200) }), { nested: object(200) })
  assert.deepEqual(storableDetails(object(203)), { ...object(200), '…': 3 })
})

/** Details of this many levels, objects and lists by turns, with this at the bottom. */
function nested(levels: number, bottom: string | null): AuditDetails {
  let value: AuditDetails[string] = bottom
  for (let level = levels; level > 1; level--) value = level % 2 === 0 ? [value] : { level: value }
  return { level: value }
}

test('eight levels of objects and lists, and an ellipsis in place of what is deeper', () => {
  for (const bottom of ['text', null]) assert.deepEqual(storableDetails(nested(8, bottom)), nested(8, bottom))
  assert.deepEqual(storableDetails(nested(9, 'text')), nested(8, '…'))
})

test('thrown for the name of a secret at any level, and not for one that only contains it', () => {
  const names = ['password', 'passwordHash', 'secret', 'totpSecret', 'apiKey', 'token', 'accessToken', 'refreshToken', 'recoveryCodes']
  for (const name of names) {
    assert.throws(() => storableDetails({ [name]: null }), new RegExp(`"${name}"`))
    assert.throws(() => storableDetails({ list: [{ [name]: 'x' }] }), new RegExp(`"${name}"`))
    assert.deepEqual(storableDetails({ [`${name}Count`]: 1, list: [name] }), { [`${name}Count`]: 1, list: [name] })
  }
})

test('details of 16,384 characters as they are, and the length and digest of larger ones', () => {
  const filled = (length: number) => {
    const list = Array.from({ length: 8 }, () => 'x'.repeat(1_990))
    const rest = length - JSON.stringify({ list, rest: '' }).length
    return { list, rest: 'y'.repeat(rest) }
  }
  const longest = filled(16_384)
  assert.deepEqual(storableDetails(longest), longest)
  const { cut, length, sha256 } = storableDetails(filled(16_385))
  assert.deepEqual([cut, length, String(sha256).length], [true, 16_385, 64])
  assert.notEqual(sha256, storableDetails(filled(16_386))['sha256'])
})
