import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createMetrics } from './http/api/metrics.ts'
import { createLogger } from './logger.ts'
import { reportUnexpected, setProcessLogger, unexpectedCounts } from './report-unexpected.ts'

before(() => setProcessLogger(createLogger('silent')))

test('the failure is logged with its place, its message and its facts', () => {
  const lines: unknown[][] = []
  const error = new Error('a bug')
  reportUnexpected('tests: log', error, { logger: { error: (...line: unknown[]) => void lines.push(line) }, message: 'It failed', item: 7 })
  assert.deepEqual(lines, [[{ err: error, where: 'tests: log', item: 7 }, 'It failed']])
})

test('two failures of a place are counted as 2', () => {
  for (const error of [new Error('first'), 'not even an Error']) reportUnexpected('tests: count', error)
  assert.equal(unexpectedCounts().get('tests: count'), 2)
})

test('one report of an error that passes two places, by the first of them', () => {
  const error = new Error('a bug')
  for (const place of ['tests: inner', 'tests: outer']) reportUnexpected(place, error)
  assert.deepEqual([unexpectedCounts().get('tests: inner'), unexpectedCounts().get('tests: outer')], [1, undefined])
})

test('/metrics contains the count of each place', async () => {
  reportUnexpected('tests: metrics', new Error('a bug'))
  const { body } = await createMetrics().write()
  assert.match(body, /^countersign_unexpected_errors_total\{place="tests: metrics"\} 1$/m)
})
