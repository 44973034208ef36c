import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalProgress } from './approvals.ts'

test('step 2 is open once step 1 has all its checkers', () => {
  assert.deepEqual(approvalProgress([2, 1], 1), { step: 1, stepCount: 2, given: 1, needed: 3, isComplete: false })
  assert.deepEqual(approvalProgress([2, 1], 2), { step: 2, stepCount: 2, given: 2, needed: 3, isComplete: false })
  assert.deepEqual(approvalProgress([2, 1], 3), { step: 2, stepCount: 2, given: 3, needed: 3, isComplete: true })
})
