import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Accepted, findGreatestOvertaking } from './order.ts'

const accepted: Accepted[] = [
  { transactionId: 'a', applicationId: 'one', acceptedAtUs: 1n },
  { transactionId: 'b', applicationId: 'one', acceptedAtUs: 2n },
  { transactionId: 'c', applicationId: 'one', acceptedAtUs: 2n },
  { transactionId: 'd', applicationId: 'one', acceptedAtUs: 3n },
  { transactionId: 'x', applicationId: 'two', acceptedAtUs: 2n },
  { transactionId: 'y', applicationId: 'two', acceptedAtUs: 9n },
]

const greatest = (arrivals: string) => findGreatestOvertaking(accepted, [...arrivals])

test('0 for deposits in order, whatever the order of those of one commit and of two applications', () => {
  assert.equal(greatest('axcbdy')?.count, 0)
  assert.equal(greatest('xabcdy')?.count, 0)
})

test('how many earlier ones of its application a deposit overtook, each counted once', () => {
  assert.deepEqual(greatest('dabcxy'), { transactionId: 'd', count: 3 })
  assert.deepEqual(greatest('abdcxy'), { transactionId: 'd', count: 1 })
  assert.deepEqual(greatest('yxabcd'), { transactionId: 'y', count: 1 })
  assert.equal(greatest(''), undefined)
})
