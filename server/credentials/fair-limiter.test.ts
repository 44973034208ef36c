import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairLimiter, type Turn } from './fair-limiter.ts'

/** Work that ends when told to. */
function held(): { work: () => Promise<string>; hasStarted: () => boolean; finish: () => void } {
  const { promise, resolve } = Promise.withResolvers<string>()
  let started = false
  return {
    work: () => {
      started = true
      return promise
    },
    hasStarted: () => started,
    finish: () => resolve('done'),
  }
}

/** A turn of the one network called `name`, without any pace. */
function of(name: string, turn: Partial<Turn> = {}): Turn {
  return { isReserved: false, path: [name], paces: [], ...turn }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('at most `concurrency` run at once, one of each path', async () => {
  const gate = createFairLimiter({ concurrency: 2, levelMax: [100, 10] })
  const loud = Array.from({ length: 5 }, held)
  const results = loud.map((one) => gate.run(of('loud'), one.work))
  await tick()
  assert.deepEqual(
    loud.map((one) => one.hasStarted()),
    [true, false, false, false, false],
  )
  const quiet = held()
  const answer = gate.run(of('quiet'), quiet.work)
  const third = held()
  const last = gate.run(of('third'), third.work)
  await tick()
  assert.ok(quiet.hasStarted())
  assert.ok(!third.hasStarted())
  quiet.finish()
  assert.equal(await answer, 'done')
  await tick()
  assert.ok(third.hasStarted())
  third.finish()
  for (const one of loud) one.finish()
  assert.deepEqual(await Promise.all([...results, last]), Array(6).fill('done'))
})

test('undefined immediately for work of a full group, and for the longest group of a full queue', async () => {
  const gate = createFairLimiter({ concurrency: 1, levelMax: [3, 2] })
  const all = Array.from({ length: 6 }, held)
  const [running, ...waiting] = all.map((one, place) => gate.run(of(place < 4 ? 'one' : `other ${place}`), one.work))
  assert.equal(await waiting[2], undefined, 'two of its group wait already')
  assert.equal(await waiting[1], undefined, 'the newest of the longest group is evicted for the fifth')
  for (const one of all) one.finish()
  assert.deepEqual(await Promise.all([running, waiting[0], waiting[3], waiting[4]]), Array(4).fill('done'))
  assert.deepEqual(
    all.map((one) => one.hasStarted()),
    [true, true, false, false, true, true],
  )
})

test('every second turn for reserved work', async () => {
  const gate = createFairLimiter({ concurrency: 1, levelMax: [100] })
  const order: string[] = []
  const note = (name: string) => async () => void order.push(name)
  await Promise.all([
    ...Array.from({ length: 4 }, (_, place) => gate.run(of(`open ${place}`), note('open'))),
    ...Array.from({ length: 3 }, (_, place) => gate.run(of(`known ${place}`, { isReserved: true }), note('known'))),
  ])
  assert.deepEqual(order, ['open', 'known', 'open', 'known', 'open', 'known', 'open'])
})

test('undefined for work whose turn does not come in time, which then never runs', async () => {
  const gate = createFairLimiter({ concurrency: 1, levelMax: [10], waitMaxMs: 30 })
  const [long, late] = [held(), held()]
  const first = gate.run(of('a'), long.work)
  assert.equal(await gate.run(of('b'), late.work), undefined)
  long.finish()
  assert.equal(await first, 'done')
  assert.equal(late.hasStarted(), false)
  assert.equal(await gate.run(of('b'), async () => 'yes'), 'yes')
})

test('rejected: work that fails; the next work runs', async () => {
  const gate = createFairLimiter({ concurrency: 1, levelMax: [3, 2] })
  await assert.rejects(
    gate.run(of('a'), () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await gate.run(of('a'), async () => 'yes'), 'yes')
})

test('a pause between pieces of work that share a pace, from any group', async () => {
  const gate = createFairLimiter({ concurrency: 2, levelMax: [5] })
  const startedMs: number[] = []
  const paces = [{ key: 'one account', spacingMs: 60 }]
  await Promise.all(['a', 'b', 'c'].map((name) => gate.run(of(name, { paces }), async () => startedMs.push(performance.now()))))
  const [first = 0, second = 0, third = 0] = startedMs
  assert.ok(second - first >= 59 && third - second >= 59)
})

test('no more than `openMax` of the open queue run, and `pathMax` of one path, whatever is free', async () => {
  const gate = createFairLimiter({ concurrency: 4, openMax: 2, pathMax: 2, levelMax: [100, 10] })
  const open = Array.from({ length: 3 }, held)
  const reserved = Array.from({ length: 3 }, held)
  const results = [
    ...open.map((one, place) => gate.run(of(`address ${place}`), one.work)),
    ...reserved.map((one) => gate.run(of('person', { isReserved: true }), one.work)),
  ]
  await tick()
  assert.deepEqual(
    [...open, ...reserved].map((one) => one.hasStarted()),
    [true, true, false, true, true, false],
  )
  reserved[0]?.finish()
  await tick()
  assert.deepEqual([open[2]?.hasStarted(), reserved[2]?.hasStarted()], [false, true])
  for (const one of [...open, ...reserved]) one.finish()
  assert.deepEqual(await Promise.all(results), Array(6).fill('done'))
})

test('undefined as soon as its signal is aborted, and its place in the queue is free', async () => {
  const gate = createFairLimiter({ concurrency: 1, levelMax: [1] })
  const [running, left, next] = [held(), held(), held()]
  const first = gate.run(of('one'), running.work)
  const leaving = new AbortController()
  const aborted = gate.run(of('two', { signal: leaving.signal }), left.work)
  leaving.abort()
  assert.equal(await aborted, undefined)
  const last = gate.run(of('three'), next.work)
  running.finish()
  next.finish()
  assert.deepEqual([await first, await last, left.hasStarted()], ['done', 'done', false])
  assert.equal(await gate.run(of('two', { signal: leaving.signal }), left.work), undefined)
})

test('undefined, without running it, for work whose turn has not come in time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const gate = createFairLimiter({ concurrency: 1, levelMax: [10, 10], waitMaxMs: 500 })
  const [running, waiting] = [held(), held()]
  const results = [gate.run(of('one'), running.work), gate.run(of('two'), waiting.work)]
  let outcome: unknown = 'none yet'
  void results[1]?.then((value) => {
    outcome = value
  })
  await tick()
  t.mock.timers.tick(499)
  await tick()
  assert.equal(outcome, 'none yet')
  t.mock.timers.tick(1)
  await tick()
  assert.equal(outcome, undefined)
  running.finish()
  await Promise.all(results)
  assert.ok(!waiting.hasStarted())
})

test('at most as many of one path as it may have at once, also after one of several has ended', async () => {
  const gate = createFairLimiter({ concurrency: 9, pathMax: 2, levelMax: [100, 100] })
  const all = Array.from({ length: 4 }, held)
  const results = all.map((one) => gate.run(of('loud'), one.work))
  const started = async () => {
    await tick()
    return all.map((one) => one.hasStarted())
  }
  assert.deepEqual(await started(), [true, true, false, false])
  all[0]?.finish()
  await results[0]
  assert.deepEqual(await started(), [true, true, true, false])
  all[1]?.finish()
  await results[1]
  assert.deepEqual(await started(), [true, true, true, true])
  for (const one of all) one.finish()
  assert.deepEqual(await Promise.all(results), Array(4).fill('done'))
})

test('at most as many without a reserved place as they may have at once, also after one of several has ended', async () => {
  const gate = createFairLimiter({ concurrency: 9, openMax: 2, pathMax: 9, levelMax: [100, 100] })
  const open = Array.from({ length: 4 }, held)
  const results = open.map((one, place) => gate.run(of(`network ${place}`), one.work))
  const reserved = held()
  const own = gate.run(of('person', { isReserved: true }), reserved.work)
  const started = async () => {
    await tick()
    return open.filter((one) => one.hasStarted()).length
  }
  assert.deepEqual([await started(), reserved.hasStarted()], [2, true])
  // The end of a reserved one is no place for them.
  reserved.finish()
  await own
  assert.equal(await started(), 2)
  open[0]?.finish()
  await results[0]
  assert.equal(await started(), 3)
  for (const one of open) one.finish()
  assert.deepEqual(await Promise.all(results), Array(4).fill('done'))
})
