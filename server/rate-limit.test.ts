import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createRateLimit } from './rate-limit.ts'

/** A limit of three at once and two per second, with a clock that a test moves. */
function aLimit() {
  let nowMs = 1_000
  const limit = createRateLimit({ burst: 3, perSecond: 2, nowMs: () => nowMs })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { take: (key = 'one') => limit.take(key).retryAfterMs, takeOne: () => limit.take('one'), pass }
}

test('three at once, then the time until the next: half a second, and less as time passes', () => {
  const { take, pass } = aLimit()
  assert.deepEqual([take(), take(), take(), take()], [undefined, undefined, undefined, 500])
  pass(200)
  assert.equal(take(), 300)
  pass(300)
  assert.deepEqual([take(), take()], [undefined, 500])
})

test('what is left, and the time until the allowance is full again, after each one and where none is left', () => {
  const { takeOne, pass } = aLimit()
  assert.deepEqual(takeOne(), { retryAfterMs: undefined, left: 2, fullAfterMs: 500 })
  pass(250)
  assert.deepEqual(takeOne(), { retryAfterMs: undefined, left: 1, fullAfterMs: 750 })
  takeOne()
  assert.deepEqual(takeOne(), { retryAfterMs: 250, left: 0, fullAfterMs: 1_250 })
})

test('no more than three at once, however long the pause was', () => {
  const { take, pass } = aLimit()
  take()
  pass(3_600_000)
  assert.deepEqual([take(), take(), take(), take()], [undefined, undefined, undefined, 500])
})

test('what is left after one call in the next: an allowance refills from where it was', () => {
  const { take, pass } = aLimit()
  take()
  take()
  pass(250)
  assert.deepEqual([take(), take()], [undefined, 250])
})

test('an allowance of its own for each key', () => {
  const { take } = aLimit()
  for (let call = 0; call < 3; call++) take('one')
  assert.equal(take('one'), 500)
  assert.equal(take('other'), undefined)
})

test('kept beside ten thousand others: an allowance that is not full again', () => {
  const { take, pass } = aLimit()
  for (let place = 0; place < 9_999; place++) take(`full again ${place}`)
  pass(500)
  for (let call = 0; call < 3; call++) take('spent')
  assert.equal(take('one more'), undefined)
  assert.equal(take('spent'), 500)
})

test('less than 3 MB for fifty thousand callers, of whom ten thousand come within the time in which an allowance refills', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heldBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const { take, pass } = aLimit()
  const before = heldBytes()
  for (let round = 0; round < 5; round++) {
    for (let place = 0; place < 10_000; place++) take(`${round} ${place}`)
    pass(2_000)
  }
  const held = heldBytes() - before
  assert.ok(held < 3 * 1_024 * 1_024, `${held} bytes`)
  assert.equal(take(), undefined)
})
