import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { createRateLimit } from '#server/rate-limit.ts'
import { cleanIdentifier, cleanReason, storableAnswer } from './wire-formats.ts'
import { createConcurrencyLimit } from './work/concurrency-limit.ts'

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
  const limit = createRateLimit({ burst: 3, perSecond: 2, nowMs: () => nowMs })
  assert.deepEqual([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('a')], [undefined, undefined, undefined, 500])
  assert.equal(limit.take('b'), undefined)
  nowMs = 499
  assert.ok((limit.take('a') ?? 0) > 0)
  nowMs = 500
  assert.equal(limit.take('a'), undefined)
  nowMs = 1e12
  assert.deepEqual([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('a')], [undefined, undefined, undefined, 500])
})

test('slots go to keys in turns, never more per key than its share', async () => {
  const limit = createConcurrencyLimit({ slotsMax: 3, perKeyMax: 2, waitMsMax: 10_000, waitingMax: 1_000 })
  const order: string[] = []
  const running = new Map<string, number>()
  const visit = (key: string) =>
    limit.run(key, async () => {
      running.set(key, (running.get(key) ?? 0) + 1)
      assert.ok((running.get(key) ?? 0) <= 2)
      assert.ok([...running.values()].reduce((sum, one) => sum + one, 0) <= 3)
      order.push(key)
      await nextTurn()
      running.set(key, (running.get(key) ?? 0) - 1)
    })
  await Promise.all([...Array.from({ length: 50 }, () => visit('a')), ...Array.from({ length: 5 }, () => visit('b'))])
  assert.equal(order.length, 55)
  assert.ok(order.lastIndexOf('b') < 15, 'the few did not wait for the many')
})

test('busy for work that waited too long or found too many waiting', async () => {
  const limit = createConcurrencyLimit({ slotsMax: 1, perKeyMax: 1, waitMsMax: 20, waitingMax: 1 })
  const done = Promise.withResolvers<void>()
  let begun = 0
  const first = limit.run('a', () => done.promise)
  const late = await Promise.all([
    limit.run('a', async () => begun++),
    limit.run('a', async () => begun++),
    limit.run('b', async () => begun++),
  ])
  assert.deepEqual(new Set(late.map((each) => !each.ok && each.error)), new Set(['busy']))
  assert.equal(begun, 0)
  done.resolve()
  assert.equal((await first).ok, true)
  assert.deepEqual(await limit.run('a', async () => 'free again'), { ok: true, value: 'free again' })
})

test('the slot is free again after work that throws', async () => {
  const limit = createConcurrencyLimit({ slotsMax: 1, perKeyMax: 1, waitMsMax: 1_000, waitingMax: 10 })
  await assert.rejects(
    limit.run('a', () => Promise.reject(new Error('bug'))),
    /bug/,
  )
  assert.equal((await limit.run('a', async () => null)).ok, true)
})
