import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyCounter } from './key-counter.ts'

/** Returns the sequence of a generator that is the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let value = seed; ; ) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0
    yield value
  }
}

test('how often each key came before, for more keys than there are places, near and far from each other', () => {
  const counter = new KeyCounter()
  const known = new Map<string, number>()
  const random = numbers(7)
  for (let turn = 0; turn < 60_000; turn++) {
    const key = `line ${(random.next().value ?? 0) % 30_000}`
    const before = known.get(key) ?? 0
    assert.equal(counter.count(key), before, key)
    known.set(key, before + 1)
  }
})

test('0 for each of many keys of which no two are equal: keys that share a part of their place are not taken for one', () => {
  const counter = new KeyCounter()
  for (let number = 0; number < 400_000; number++) assert.equal(counter.count(`T${number}`), 0)
})
