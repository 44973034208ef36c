import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalRuleSchema, BASE_RULE } from './approval-policy.ts'
import { NEW_RULE, RULE_PROBLEMS, toRuleFields, toRuleInput } from './rule-form.ts'

const RULES = [
  BASE_RULE,
  approvalRuleSchema.parse({
    name: 'Large',
    sources: ['api', 'file'],
    types: ['COLLECT'],
    operators: ['SNOM'],
    countries: ['SENEGAL'],
    currency: 'XOF',
    aboveMinor: '123456750',
    measure: 'dayTotal',
    firstTimeOnly: true,
    approvals: [2, 1],
    needsCode: true,
    expiresInHours: 36,
  }),
]

test('the same rule after the form, in both languages', () => {
  for (const locale of ['en', 'fr'] as const)
    for (const rule of RULES) assert.deepEqual(approvalRuleSchema.parse(toRuleInput(toRuleFields(rule, locale), locale)), rule)
})

test('a problem at a field of the form for everything that the schema refuses', () => {
  const named = { ...NEW_RULE, name: 'A rule' }
  assert.ok(approvalRuleSchema.safeParse(toRuleInput(named, 'en')).success)
  const wrong = [
    [{ name: ' ' }, 'name'],
    [{ types: [] }, 'types'],
    [{ sources: [] }, 'sources'],
    [{ amount: '5 apples', currency: 'XAF' as const }, 'amount'],
    [{ amount: '-5', currency: 'XAF' as const }, 'amount'],
    [{ amount: '500' }, 'currency'],
    [{ measure: 'dayTotal' as const }, 'amount'],
    [{ first: '0' }, 'first'],
    [{ first: '6' }, 'first'],
    [{ first: '' }, 'first'],
    [{ second: '1.5' }, 'first'],
    [{ expiresInHours: '' }, 'expiresInHours'],
    [{ expiresInHours: '721' }, 'expiresInHours'],
  ] as const
  for (const [change, field] of wrong) {
    const parsed = approvalRuleSchema.safeParse(
      toRuleInput(
        {
          ...named,
          ...change,
          types: [...('types' in change ? change.types : named.types)],
          sources: [...('sources' in change ? change.sources : named.sources)],
        },
        'en',
      ),
    )
    assert.ok(!parsed.success, JSON.stringify(change))
    assert.equal(RULE_PROBLEMS[String(parsed.error.issues[0]?.path[0])]?.field, field, JSON.stringify(change))
  }
})
