import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkGate } from './work-gate.ts'

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

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('at most so many run at once, one of each lane, and a quiet lane does not wait behind a loud one', async () => {
  const gate = createWorkGate({ concurrency: 2, laneMax: 10, waitingMax: 100 })
  const loud = Array.from({ length: 5 }, held)
  const results = loud.map((one) => gate.run('loud', 0, one.work))
  await turn()
  assert.deepEqual(
    loud.map((one) => one.hasStarted()),
    [true, false, false, false, false],
  )
  const quiet = held()
  const answer = gate.run('quiet', 0, quiet.work)
  const third = held()
  const last = gate.run('third', 0, third.work)
  await turn()
  assert.ok(quiet.hasStarted())
  assert.ok(!third.hasStarted())
  quiet.finish()
  assert.equal(await answer, 'done')
  await turn()
  assert.ok(third.hasStarted())
  third.finish()
  for (const one of loud) one.finish()
  assert.deepEqual(await Promise.all([...results, last]), Array(6).fill('done'))
})

test('what a full lane or a full gate cannot hold is refused at once and never runs', async () => {
  const gate = createWorkGate({ concurrency: 1, laneMax: 2, waitingMax: 3 })
  const all = Array.from({ length: 6 }, held)
  const [running, ...waiting] = all.map((one, place) => gate.run(place < 4 ? 'one' : `other ${place}`, 0, one.work))
  assert.equal(await waiting[2], undefined)
  assert.equal(await waiting[4], undefined)
  for (const one of all) one.finish()
  assert.deepEqual(await Promise.all([running, waiting[0], waiting[1], waiting[3]]), Array(4).fill('done'))
  assert.deepEqual(
    all.map((one) => one.hasStarted()),
    [true, true, true, false, true, false],
  )
})

test('work that fails frees its place', async () => {
  const gate = createWorkGate({ concurrency: 1, laneMax: 2, waitingMax: 3 })
  await assert.rejects(
    gate.run('a', 0, () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await gate.run('a', 0, async () => 'yes'), 'yes')
})

test('work of one lane keeps its distance, also when nothing else happens', async () => {
  const gate = createWorkGate({ concurrency: 2, laneMax: 5, waitingMax: 5 })
  const startedMs: number[] = []
  await Promise.all([1, 2, 3].map(() => gate.run('slow', 60, async () => startedMs.push(performance.now()))))
  const [first = 0, second = 0, third = 0] = startedMs
  assert.ok(second - first >= 59 && third - second >= 59)
})
