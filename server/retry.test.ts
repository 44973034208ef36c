import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs, retryWithBackoff, withJitterMs } from './retry.ts'

const BACKOFF = { firstMs: 1, maxMs: 4 }

/** Fails this many times before it succeeds, and counts its calls. */
function failing(times: number) {
  const work = { calls: 0, run: async () => (++work.calls > times ? 'done' : Promise.reject(new Error(`failure ${work.calls}`))) }
  return work
}

test('100, 200, 400 and 400 ms are the pauses of a backoff from 100 to 400 ms', () => {
  const pauses = [1, 2, 3, 4].map((attempt) => backoffMs(attempt, { firstMs: 100, maxMs: 400 }, () => 0.5))
  assert.deepEqual(pauses, [100, 200, 400, 400])
})

test('90 to 110 ms is the range of a pause of 100 ms', () => {
  assert.deepEqual(
    [0, 1].map((random) => Math.round(withJitterMs(100, () => random))),
    [90, 110],
  )
})

test('the value is returned when the last attempt succeeds', async () => {
  const work = failing(2)
  assert.equal(await retryWithBackoff(work.run, { attemptsMax: 3, backoff: BACKOFF }), 'done')
  assert.equal(work.calls, 3)
})

test('the last error is thrown when no attempt succeeds', async () => {
  const work = failing(9)
  await assert.rejects(retryWithBackoff(work.run, { attemptsMax: 3, backoff: BACKOFF }), /failure 3/)
})

test('the first error is thrown when it is not retryable', async () => {
  const work = failing(9)
  await assert.rejects(retryWithBackoff(work.run, { attemptsMax: 3, backoff: BACKOFF, isRetryable: () => false }), /failure 1/)
})

test('a pause before each attempt after the first, twice as long each time', async () => {
  const startedMs = performance.now()
  const atMs: number[] = []
  const work = async () => {
    atMs.push(performance.now() - startedMs)
    if (atMs.length < 3) throw new Error('a failure')
  }
  await retryWithBackoff(work, { attemptsMax: 3, backoff: { firstMs: 20, maxMs: 1_000 }, random: () => 0.5 })
  const [first = 0, second = 0, third = 0] = atMs
  // Timers may be a millisecond early.
  assert.ok(second - first >= 19 && third - second >= 39, String(atMs))
})

test('one attempt more for an error that is retryable and none for one that is not', async () => {
  const work = failing(9)
  const isRetryable = (error: unknown) => error instanceof Error && error.message === 'failure 1'
  await assert.rejects(retryWithBackoff(work.run, { attemptsMax: 9, backoff: BACKOFF, isRetryable }), /failure 2/)
})
