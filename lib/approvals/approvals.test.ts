import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalProgress } from './approvals.ts'
import { lostRoles } from './blocked-items.ts'

test('step 2 is open once step 1 has all its checkers', () => {
  assert.deepEqual(approvalProgress([2, 1], 1), { step: 1, stepCount: 2, given: 1, needed: 3, isComplete: false })
  assert.deepEqual(approvalProgress([2, 1], 2), { step: 2, stepCount: 2, given: 2, needed: 3, isComplete: false })
  assert.deepEqual(approvalProgress([2, 1], 3), { step: 2, stepCount: 2, given: 3, needed: 3, isComplete: true })
})

test('the roles that are taken away, all of them with the membership, and none of a member who was not active', () => {
  const before = { roles: ['maker', 'checker'], isActive: true } as const
  assert.deepEqual(lostRoles(before, { roles: ['checker', 'finance'], isActive: true }), ['maker'])
  assert.deepEqual(lostRoles(before, { roles: ['maker', 'checker'], isActive: true }), [])
  assert.deepEqual(lostRoles(before, { roles: ['maker', 'checker'], isActive: false }), ['maker', 'checker'])
  assert.deepEqual(lostRoles({ ...before, isActive: false }, { roles: [], isActive: true }), [])
})
