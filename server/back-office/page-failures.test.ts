import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import { setProcessLogger } from '#server/report-unexpected.ts'
import { logPageFailure } from './page-failures.ts'

const FAILURE = { name: 'TypeError', message: 'x is undefined', stack: 'TypeError: x is undefined', path: '/kora/totals' }

test('throttled after ten failures of one person, while the next person still gets a reference', () => {
  setProcessLogger(createLogger('silent'))
  const personId = randomUUID()
  const reported = Array.from({ length: 11 }, () => logPageFailure(personId, FAILURE))
  assert.deepEqual(
    reported.map(({ ok }) => ok),
    [...Array(10).fill(true), false],
  )
  assert.deepEqual(reported[10], { ok: false, error: 'throttled' })
  const next = logPageFailure(randomUUID(), FAILURE)
  assert.match(next.ok ? next.value.reference : '', /^[0-9a-f]{8}$/)
})
