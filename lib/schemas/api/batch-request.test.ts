import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { BATCH_ROWS_MAX } from '#lib/batches/batch-fields.ts'
import { parseJsonBytes } from '#lib/text/json.ts'
import { parseBatchRequest } from './batch-request.ts'

test('forty steps for ten thousand deposits, right or wrong, and the sentences of all of them at the end', () => {
  const deposit = {
    transferMethod: 'MOMOCM',
    customerName: 'Clarisse Mbarga',
    phoneNumber: '237677209341',
    amount: 5_000,
    countryName: 'CAMEROON',
  }
  const deposits = Array.from({ length: BATCH_ROWS_MAX }, () => ({ ...deposit, externalId: randomUUID() }))
  for (const [isRight, change] of [
    [true, {}],
    [false, { amount: -1 }],
  ] as const) {
    const text = JSON.stringify({ deposits: deposits.map((each) => ({ ...each, ...change })) })
    const body = parseJsonBytes(Buffer.from(text), 20 * BATCH_ROWS_MAX)
    assert.ok(body.ok)
    const steps = parseBatchRequest(body.value)
    let count = 0
    let step = steps.next()
    for (; !step.done; count++) step = steps.next()
    assert.equal(count, 40)
    assert.equal(step.value.ok, isRight)
    if (!step.value.ok) assert.equal(step.value.error.length, BATCH_ROWS_MAX)
  }
})
