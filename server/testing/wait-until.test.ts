import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitUntil } from './wait-until.ts'

test('the first value that is neither undefined nor false is returned', async () => {
  const values = [undefined, false, 0] as const
  let looks = 0
  assert.equal(await waitUntil('a value', () => values[looks++], { pauseMs: 1 }), 0)
})

test('an error that names what was waited for is thrown after the limit', async () => {
  await assert.rejects(
    waitUntil('the webhook arrives', () => false, { limitMs: 5, pauseMs: 1 }),
    /^Error: Not true within 5 ms: the webhook arrives$/,
  )
})

test('an error of the condition is thrown immediately', async () => {
  await assert.rejects(
    waitUntil('anything', () => Promise.reject(new Error('a bug'))),
    /a bug/,
  )
})
