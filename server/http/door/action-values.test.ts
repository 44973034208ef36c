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

test('true for 5,000 values and 200 parts, false for one more of either', () => {
  for (const value of ['{', '[', ','])
    assert.deepEqual([hasFewValues(Buffer.from(value.repeat(5_000))), hasFewValues(Buffer.from(value.repeat(5_001)))], [true, false], value)
  assert.equal(hasFewValues(Buffer.from(`${'{'.repeat(2_500)}${'['.repeat(2_500)},`)), false)
  assert.deepEqual([hasFewValues(Buffer.from('\n--x'.repeat(200))), hasFewValues(Buffer.from('\n--x'.repeat(201)))], [true, false])
})

test('the bytes of a body alone are counted, wherever it is in memory', () => {
  const memory = Buffer.from(`${','.repeat(6_000)}"x"${','.repeat(6_000)}`)
  assert.equal(hasFewValues(memory.subarray(6_000, 6_003)), true)
})
