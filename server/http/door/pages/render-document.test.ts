import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderDocument } from './page-memory.ts'

test('rejected: an answer that is cut off before its end', { timeout: 5_000 }, async () => {
  const rendering = renderDocument('/docs', {}, (_incoming, outgoing) => {
    outgoing.write('<html>')
    outgoing.destroy()
  })
  await assert.rejects(rendering, /\/docs was cut off/)
})

test('rejected: an answer that is not there after ten seconds', { timeout: 5_000 }, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rendering = renderDocument('/docs', {}, (_incoming, outgoing) => void outgoing.write('<html>'))
  const rejected = assert.rejects(rendering, /\/docs was cut off/)
  t.mock.timers.tick(10_000)
  await rejected
})
