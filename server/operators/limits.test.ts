import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRateLimit } from '#server/rate-limit.ts'
import { cleanIdentifier, cleanReason, storableAnswer } from './wire-formats.ts'

/** Text with what operators should never send, as often as what they should. */
const hostileText = fc
  .array(fc.oneof(fc.string(), fc.constantFrom('\0', '\ud800', '\udfff', '😀', 'é', '\u001b', '\u2028')), { maxLength: 400 })
  .map((parts) => parts.join(''))

test('at most 2,048 well-formed bytes without NUL are stored of an answer', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const kept = storableAnswer(text.repeat(8))
      assert.ok(kept.isWellFormed() && !kept.includes('\0') && Buffer.byteLength(kept) <= 2_048)
    }),
  )
  assert.equal(storableAnswer('{"status":"é😀"}'), '{"status":"é😀"}')
  assert.equal(storableAnswer('é'.repeat(2_000)), 'é'.repeat(1_024))
  assert.equal(storableAnswer(`${'x'.repeat(2_047)}😀`), 'x'.repeat(2_047))
})

test('one well-formed line of at most 300 characters is stored of a reason', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const reason = cleanReason(text)
      assert.ok(reason.isWellFormed() && reason.length <= 300)
      for (const character of reason) assert.ok((character.codePointAt(0) ?? 0) >= 0x20)
    }),
  )
  assert.equal(cleanReason('Numéro invalide'), 'Numéro invalide')
})

test('undefined for an identifier that is too long or malformed, otherwise the whole of it', () => {
  assert.equal(cleanIdentifier('PT-123/é'), 'PT-123/é')
  for (const text of ['', 'a\0b', 'a\nb', '\ud800', 'x'.repeat(201), undefined]) assert.equal(cleanIdentifier(text), undefined)
})

test('the milliseconds until the next call are returned once the allowance of a key is used up', () => {
  let nowMs = 0
  const rate = createRateLimit({ burst: 3, perSecond: 2, nowMs: () => nowMs })
  const limit = { take: (key: string) => rate.take(key).retryAfterMs }
  assert.deepEqual([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('a')], [undefined, undefined, undefined, 500])
  assert.equal(limit.take('b'), undefined)
  nowMs = 499
  assert.ok((limit.take('a') ?? 0) > 0)
  nowMs = 500
  assert.equal(limit.take('a'), undefined)
  nowMs = 1e12
  assert.deepEqual([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('a')], [undefined, undefined, undefined, 500])
})
