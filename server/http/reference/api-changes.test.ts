import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API_CHANGES } from '#lib/partner/api-changes.ts'
import { readReference } from './read-reference.ts'

test('every operation of version 2 in one change, and no change about an operation that does not exist', () => {
  const added = [...readReference().operations.values()].filter(({ path }) => path.startsWith('/api/v2/')).map(({ id }) => id)
  assert.deepEqual(API_CHANGES.flatMap(({ adds }) => adds).toSorted(), added.toSorted())
})

test('the newest change first, each with a day that exists', () => {
  const dates = API_CHANGES.map(({ date }) => date)
  assert.deepEqual(dates, dates.toSorted().toReversed())
  for (const date of dates) assert.equal(new Date(date).toISOString().slice(0, 10), date)
})
