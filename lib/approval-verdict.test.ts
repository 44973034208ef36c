import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { approvalProgress, canDecide } from './approval-verdict.ts'
import { ROLES } from './permissions.ts'
import { TRANSACTION_STATUSES } from './transaction-status.ts'

const facts = fc.record({
  person: fc.record({ id: fc.constantFrom('a', 'b', 'c'), roles: fc.subarray([...ROLES]) }),
  makerId: fc.constantFrom('a', 'b', null),
  status: fc.constantFrom(...TRANSACTION_STATUSES),
  isExpired: fc.boolean(),
  deciderIds: fc.subarray(['a', 'b', 'c']),
})

test('whoever may decide is a checker, not the maker, new to an item that waits and has not expired', () => {
  fc.assert(
    fc.property(facts, (one) => {
      const may = canDecide(one) === true
      const should =
        one.person.roles.includes('checker') &&
        one.makerId !== one.person.id &&
        one.status === 'PENDING_APPROVAL' &&
        !one.isExpired &&
        !one.deciderIds.includes(one.person.id)
      return may === should
    }),
  )
})

test('the second step opens when the first has all its checkers', () => {
  assert.deepEqual(approvalProgress([2, 1], 1), { step: 1, stepCount: 2, given: 1, needed: 3, isComplete: false })
  assert.deepEqual(approvalProgress([2, 1], 2), { step: 2, stepCount: 2, given: 2, needed: 3, isComplete: false })
  assert.deepEqual(approvalProgress([2, 1], 3), { step: 2, stepCount: 2, given: 3, needed: 3, isComplete: true })
})
