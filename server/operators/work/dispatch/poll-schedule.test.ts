import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { POLL_DELAYS_MS, pollDelayMs, resubmitDelayMs, unsentDelayMs } from './claim-slots.ts'

test('2 s before the first query, then longer pauses up to one hour', () => {
  const delays = Array.from({ length: 40 }, (_, made) => pollDelayMs(made, () => 0.5))
  assert.deepEqual(delays.slice(0, 5), [2_000, 4_000, 8_000, 15_000, 30_000])
  assert.deepEqual(
    delays,
    [...delays].sort((left, right) => left - right),
  )
  assert.equal(delays.at(-1), 3_600_000)
})

test('at most a tenth of jitter', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (made, random) => {
      const middle = POLL_DELAYS_MS[Math.min(made, POLL_DELAYS_MS.length - 1)] ?? assert.fail()
      const delay = pollDelayMs(made, () => random)
      assert.ok(delay >= middle * 0.9 && delay <= middle * 1.1)
    }),
  )
})

test('no pause before the first two resubmissions of an unknown reference, then longer ones', () => {
  assert.deepEqual(
    [1, 2].map((made) => resubmitDelayMs(made, () => 0.5)),
    [0, 0],
  )
  assert.equal(
    resubmitDelayMs(3, () => 0.5),
    15_000,
  )
  assert.equal(
    resubmitDelayMs(99, () => 0.5),
    3_600_000,
  )
})

test('2 s before a submission that was not sent is retried, and at most five minutes later on', () => {
  assert.deepEqual(
    [1, 2, 8, 9, 1_000].map((made) => unsentDelayMs(made, () => 0.5)),
    [2_000, 4_000, 300_000, 300_000, 300_000],
  )
})
