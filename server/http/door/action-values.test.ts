import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasFewValues } from './action-values.ts'

test('true for our largest action and for a megabyte of text', () => {
  const item = { transactionId: '0'.repeat(36), contentHash: '0'.repeat(64) }
  const largest = ['kora', { decision: 'validated', note: ','.repeat(500), code: '000000', items: Array(500).fill(item) }]
  for (const body of [JSON.stringify(largest), 'x'.repeat(1024 * 1024), '', '["kora",{"name":"a, b"}]'])
    assert.ok(hasFewValues(Buffer.from(body)))
})

test('false for too many objects, lists, fields, levels or parts', () => {
  for (const body of [
    `[${'{},'.repeat(300_000)}1]`,
    `[${'1,'.repeat(6_000)}1]`,
    '['.repeat(6_000),
    `[{${'"k":1,'.repeat(6_000)}"k":1}]`,
    '\r\n--x'.repeat(300),
  ])
    assert.equal(hasFewValues(Buffer.from(body)), false, body.slice(0, 20))
})
