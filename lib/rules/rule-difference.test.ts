import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalRuleSchema } from './approval-policy.ts'
import { compareRules } from './rule-sentence.ts'

function rule(name: string, change: Record<string, unknown> = {}) {
  return approvalRuleSchema.parse({ name, sources: ['api', 'person'], approvals: [1], ...change })
}

function kinds(before: ReturnType<typeof rule>[], after: ReturnType<typeof rule>[]): string[] {
  return compareRules(before, after).map((each) => `${each.kind} ${'after' in each ? each.after.name : each.before.name}`)
}

test('added, removed and changed by the name of the rule', () => {
  const before = [rule('A'), rule('B'), rule('C', { needsCode: true })]
  const after = [rule('B', { approvals: [2] }), rule('C', { needsCode: true }), rule('D', { approvals: [3] })]
  assert.deepEqual(kinds(before, after), ['changed B', 'added D', 'removed A'])
})

test('no difference for another order of rules, of their lists or of their limits', () => {
  assert.deepEqual(kinds([rule('A'), rule('B')], [rule('B', { sources: ['person', 'api'] }), rule('A')]), [])
  assert.deepEqual(kinds([rule('A', { limits: { XOF: '2', XAF: '1' } })], [rule('A', { limits: { XAF: '1', XOF: '2' } })]), [])
})

test('renamed for a rule with the same content under another name, once', () => {
  assert.deepEqual(kinds([rule('A')], [rule('B'), rule('C')]), ['renamed B', 'added C'])
})

test('changed for every field', () => {
  const changes: Record<string, unknown>[] = [
    { sources: ['api'] },
    { types: ['COLLECT'] },
    { operators: ['OMCM'] },
    { countries: ['MALI'] },
    { limits: { XAF: '0' } },
    { limits: { XAF: '100' } },
    { firstTimeOnly: true },
    { approvals: [1, 1] },
    { needsCode: true },
    { apiMayDecide: true },
    { expiresInHours: 24 },
  ]
  for (const change of changes) assert.deepEqual(kinds([rule('A')], [rule('A', change)]), ['changed A'], JSON.stringify(change))
  const limit = { limits: { XAF: '100' } }
  for (const limits of [{ XAF: '101' }, { XOF: '100' }, { XAF: '100', XOF: '100' }])
    assert.deepEqual(kinds([rule('A', limit)], [rule('A', { limits })]), ['changed A'], JSON.stringify(limits))
  assert.deepEqual(kinds([rule('A', limit)], [rule('A', { ...limit, measure: 'dayTotal' })]), ['changed A'])
})
