import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { NO_FILTERS, toAddressValues, withFilters, withoutFilters } from './transaction-list.ts'

const query = { ...NO_FILTERS, sort: 'newest' as const, fees: null, page: 0, size: 50 }

test('NO_FILTERS has the defaults of the schema', () => {
  assert.deepEqual(transactionFilterSchema.parse({}), query)
})

test('?page= counts from 1 and is absent on the first page', () => {
  assert.equal(toAddressValues(query).page, null)
  assert.equal(toAddressValues({ ...query, page: 2 }).page, 3)
  assert.equal(transactionFilterSchema.parse({ page: '3' }).page, 2)
})

test('a changed filter begins at its first page', () => {
  assert.equal(withFilters({ ...query, page: 7 }, { name: 'Ngassa' }).page, 0)
})

test('without filters, order and size stay', () => {
  const filtered = { ...query, name: 'Ngassa', sort: 'oldest' as const, size: 25, page: 3 }
  assert.deepEqual(withoutFilters(filtered), { ...query, sort: 'oldest', size: 25 })
})
