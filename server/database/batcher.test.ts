import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { type BatcherOptions, createBatcher, OverloadedError } from './batcher.ts'
import { createFairQueue } from './fair-queue.ts'

type Item = { share: string; key: string; isBad?: boolean }

/** A batcher whose batches wait until `release` is called, and what they held. */
function standing(options: Partial<BatcherOptions<Item, string>> = {}) {
  const batches: Item[][] = []
  const gate = Promise.withResolvers<void>()
  const batcher = createBatcher<Item, string>({
    key: (item) => item.key,
    shareOf: (item) => item.share,
    async run(items) {
      batches.push(items)
      await gate.promise
      if (items.some((item) => item.isBad)) throw new Error('bad item')
      return items.map((item) => item.key)
    },
    queueMax: 100,
    batchMax: 10,
    slots: 1,
    isItemError: () => true,
    ...options,
  })
  return { batcher, batches, release: gate.resolve }
}

let made = 0
const of = (share: string): Item => ({ share, key: `${share} ${made++}` })
const many = (share: string, count: number) => Array.from({ length: count }, () => of(share))
const outcomesOf = async (submitted: Promise<string>[]) =>
  (await Promise.allSettled(submitted)).map((one) =>
    one.status === 'fulfilled' ? 'done' : one.reason instanceof OverloadedError ? 'overloaded' : 'failed',
  )
const count = (outcomes: string[], outcome: string) => outcomes.filter((one) => one === outcome).length

test('OverloadedError only for the share that sends without end; the items of another share are in the next batch', async () => {
  const { batcher, batches, release } = standing({ shareMax: 75 })
  const greedy = outcomesOf(many('greedy', 1_000).map(batcher.submit))
  await nextTurn()
  const others = outcomesOf(many('other', 20).map(batcher.submit))
  release()
  assert.deepEqual([count(await others, 'done'), count(await greedy, 'done')], [20, 75])
  // The first batch was made before they came; from then on they have every second place.
  assert.equal(batches[1]?.filter((item) => item.share === 'other').length, 5)
})

test('OverloadedError for the newest item of the largest share, when a smaller share arrives at a full queue', async () => {
  const { batcher, release } = standing()
  const first = outcomesOf(many('a', 60).map(batcher.submit))
  await nextTurn()
  const second = outcomesOf(many('b', 50).map(batcher.submit))
  assert.equal(batcher.waiting(), 100)
  const third = outcomesOf(many('c', 30).map(batcher.submit))
  assert.equal(batcher.waiting(), 100)
  release()
  const [a, b, c] = [await first, await second, await third]
  assert.equal(count(c, 'done'), 30)
  // 10 of a were on their way already; the rest is even.
  assert.deepEqual([count(a, 'done'), count(b, 'done')], [45, 35])
  assert.deepEqual([a.lastIndexOf('done'), b.lastIndexOf('done')], [44, 34])
})

test('OverloadedError for an item of the largest share at a full queue', async () => {
  const { batcher, release } = standing()
  const shares = Array.from({ length: 110 }, (_, n) => batcher.submit(of(`share ${n}`)))
  const outcomes = outcomesOf(shares)
  release()
  assert.deepEqual([count(await outcomes, 'done'), count(await outcomes, 'overloaded')], [100, 10])
})

test('a second batch beside the first only when besideMin items wait', async () => {
  const { batcher, batches, release } = standing({ slots: 2, besideMin: 5 })
  const first = outcomesOf(many('a', 3).map(batcher.submit))
  await nextTurn()
  const few = outcomesOf(many('a', 4).map(batcher.submit))
  await nextTurn()
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [3],
  )
  const enough = outcomesOf(many('b', 1).map(batcher.submit))
  await nextTurn()
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [3, 5],
  )
  release()
  assert.equal(count([...(await first), ...(await few), ...(await enough)], 'done'), 8)
})

test('two batches for two items with the same key, in the order in which they were submitted', async () => {
  const { batcher, batches, release } = standing({ slots: 2 })
  const key = 'same'
  const submitted = [
    batcher.submit({ share: 'a', key }),
    batcher.submit({ share: 'a', key }),
    batcher.submit(of('a')),
    batcher.submit({ share: 'a', key }),
  ]
  release()
  await Promise.all(submitted)
  assert.deepEqual(
    batches.map((batch) => batch.filter((item) => item.key === key).length),
    [1, 1, 1],
  )
})

test('1 failure for one bad item in a batch of 256, after at most 17 runs', async () => {
  for (const bad of [0, 100, 255]) {
    const { batcher, batches, release } = standing({ batchMax: 256, queueMax: 256 })
    const items = many('a', 256).map((item, n) => ({ ...item, isBad: n === bad }))
    const outcomes = outcomesOf(items.map(batcher.submit))
    release()
    assert.deepEqual([count(await outcomes, 'done'), (await outcomes).indexOf('failed')], [255, bad])
    assert.ok(batches.length <= 17, `${batches.length} runs`)
  }
})

test('drained after every submitted item has its outcome', async () => {
  const { batcher, release } = standing()
  const outcomes = outcomesOf([...many('a', 30), ...many('b', 30)].map(batcher.submit))
  release()
  await batcher.drain()
  assert.equal(batcher.waiting(), 0)
  assert.equal(count(await outcomes, 'done'), 60)
})

test('every queued item is taken once, in order within its share', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ share: fc.constantFrom('a', 'b', 'c', 'd'), key: fc.nat({ max: 5 }) }),
      fc.record({ take: fc.nat({ max: 8 }) }),
      fc.record({ displace: fc.nat({ max: 4 }) }),
    ),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const queue = createFairQueue<{ share: string; key: number; n: number }>()
      const model = new Map<string, { share: string; key: number; n: number }[]>()
      let n = 0
      for (const step of all) {
        if ('share' in step) {
          const entry = { ...step, n: n++ }
          queue.push(step.share, entry)
          model.set(step.share, [...(model.get(step.share) ?? []), entry])
        } else if ('displace' in step) {
          const largest = Math.max(0, ...[...model.values()].map((entries) => entries.length))
          const entry = queue.displace(step.displace)
          assert.equal(entry !== undefined, largest >= step.displace + 2)
          if (entry) assert.equal(model.get(entry.share)?.pop(), entry)
        } else {
          const keys = new Set<number>()
          const taken = queue.take(step.take, ({ key }) => !keys.has(key) && keys.add(key) !== undefined)
          for (const entry of taken) {
            const rest = model.get(entry.share) ?? []
            // The first of its share whose key was free.
            assert.ok(rest.slice(0, rest.indexOf(entry)).every((before) => keys.has(before.key)))
            model.set(
              entry.share,
              rest.filter((each) => each !== entry),
            )
          }
        }
        assert.equal(queue.size(), [...model.values()].flat().length)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('one turn for every waiting share before any share gets its second', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 60 }),
      (sizes, limit) => {
        const queue = createFairQueue<number>()
        for (const [share, size] of sizes.entries()) for (let n = 0; n < size; n++) queue.push(String(share), share)
        const taken = queue.take(limit, () => true)
        const given = sizes.map((_, share) => taken.filter((each) => each === share).length)
        for (const [share, size] of sizes.entries()) assert.ok(given[share] === size || (given[share] ?? 0) + 1 >= Math.max(...given))
      },
    ),
  )
})

test('a batch outside of the context of the work that submitted its first item', async () => {
  const context = new AsyncLocalStorage<string>()
  const batcher = createBatcher<string, string | undefined>({
    key: (item) => item,
    run: async (items) => items.map(() => context.getStore()),
    queueMax: 10,
    batchMax: 10,
    slots: 1,
  })
  assert.equal(await context.run('a task', () => batcher.submit('item')), undefined)
})

test('one batch for what comes within the gap after the last one, and none of the gap for as many as may start beside it', async () => {
  const { batcher, batches, release } = standing({ gapMs: 600_000, besideMin: 3 })
  release()
  await batcher.submit(of('one'))
  const later = [batcher.submit(of('one'))]
  for (let turns = 0; turns < 5; turns++) await nextTurn()
  assert.equal(batches.length, 1)
  later.push(...many('one', 2).map(batcher.submit))
  await Promise.all(later)
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [1, 3],
  )
})
