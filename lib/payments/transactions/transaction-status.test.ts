import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREATION_STATUSES, isFinalStatus, TRANSACTION_STATUSES, TRANSITIONS } from './transaction-status.ts'

test('nothing leads out of a final state', () => {
  for (const [event, edge] of Object.entries(TRANSITIONS)) assert.ok(!isFinalStatus(edge.from), event)
})

test('every state is reached and every state that is not final is left', () => {
  const edges: { from: string; to: string }[] = Object.values(TRANSITIONS)
  const reached: string[] = [...CREATION_STATUSES, ...edges.map((edge) => edge.to)]
  for (const status of TRANSACTION_STATUSES) {
    assert.ok(reached.includes(status), status)
    assert.equal(
      edges.some((edge) => edge.from === status),
      !isFinalStatus(status),
      status,
    )
  }
})

test('no edge leads from waiting for approval to success: only an approval opens the way to an operator', () => {
  const ways = Object.values(TRANSITIONS)
    .filter((edge) => edge.from === 'PENDING_APPROVAL')
    .map((edge) => edge.to)
  assert.deepEqual(new Set(ways), new Set(['PENDING', 'FAILED']))
  assert.equal(TRANSITIONS.approved.to, 'PENDING')
})
