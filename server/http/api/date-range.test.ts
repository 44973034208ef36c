import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { errorSchema } from '#lib/schemas/api/responses.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'

const PATH = '/api/v1/transaction/getTotalAmountByApplicationProductAndDateRange'
let harness: HttpHarness

before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

const read = (startDate: string, endDate: string) =>
  fetch(`${harness.baseUrl}${PATH}?${new URLSearchParams({ startDate, endDate, status: 'SUCCESS' })}`, { headers: harness.headers })

test('400 for a date in year 0, which PostgreSQL does not know', async () => {
  for (const [startDate, endDate] of [
    ['0000-01-01', '2026-01-31'],
    ['0000-01-01', '0000-12-31'],
  ] as const) {
    const response = await read(startDate, endDate)
    assert.equal(response.status, 400)
    assert.match(errorSchema.parse(await response.json()).message, /^startDate must be an ISO 8601 date/)
  }
})

test('200 for the widest range', async () => {
  const response = await read('0001-01-01', '9999-12-31')
  assert.deepEqual([response.status, await response.text()], [200, '0'])
})
