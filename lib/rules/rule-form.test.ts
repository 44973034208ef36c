import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { approvalRuleSchema, BASE_RULE } from './approval-policy.ts'
import { NEW_RULE, type RuleFields, ruleProblem, toRuleFields, toRuleInput } from './rule-form.ts'

const RULES = [
  BASE_RULE,
  approvalRuleSchema.parse({
    name: 'Large',
    sources: ['api', 'file'],
    types: ['COLLECT'],
    operators: ['SNOM'],
    countries: ['SENEGAL'],
    limits: { XOF: '123456750' },
    measure: 'dayTotal',
    firstTimeOnly: true,
    approvals: [2, 1],
    needsCode: true,
    expiresInHours: 36,
  }),
  approvalRuleSchema.parse({
    name: 'Everywhere',
    sources: ['api'],
    limits: { XAF: '50000000', XOF: '0', UGX: '123456789050' },
    approvals: [1],
  }),
]

test('the same rule after the form, in both languages', () => {
  for (const locale of ['en', 'fr'] as const)
    for (const rule of RULES) assert.deepEqual(approvalRuleSchema.parse(toRuleInput(toRuleFields(rule, locale), locale)), rule)
})

test('a problem at a field of the form for everything that the schema refuses', () => {
  const named = { ...NEW_RULE, name: 'A rule' }
  assert.ok(approvalRuleSchema.safeParse(toRuleInput(named, 'en')).success)
  const wrong: readonly [change: Partial<RuleFields>, field: string, message?: MessageKey][] = [
    [{ name: ' ' }, 'name'],
    [{ types: [] }, 'types'],
    [{ sources: [] }, 'sources'],
    [{ limits: { XAF: '5 apples' } }, 'limits.XAF', 'rules.wrong.amount'],
    [{ limits: { XAF: '500', XOF: '-5' } }, 'limits.XOF', 'rules.wrong.amount'],
    [{ limits: { UGX: '' } }, 'limits.UGX', 'rules.wrong.amount'],
    [{ limits: { XAF: '500', UGX: '500' }, countries: ['CAMEROON', 'MALI'] }, 'limits.UGX', 'rules.wrong.currency'],
    [{ limits: { XOF: '500' }, operators: ['MOMOCM'] }, 'limits.XOF', 'rules.wrong.currency'],
    [{ measure: 'dayTotal' }, 'limits.root', 'rules.wrong.limits'],
    [{ measure: 'dayTotal', limits: { XAF: '500', XOF: '0' } }, 'limits.XOF', 'rules.wrong.zero'],
    [{ first: '0' }, 'first'],
    [{ first: '6' }, 'first'],
    [{ first: '' }, 'first'],
    [{ second: '1.5' }, 'first'],
    [{ expiresInHours: '' }, 'expiresInHours'],
    [{ expiresInHours: '721' }, 'expiresInHours'],
  ]
  for (const [change, field, message] of wrong) {
    const parsed = approvalRuleSchema.safeParse(toRuleInput({ ...named, ...change }, 'en'))
    assert.ok(!parsed.success, JSON.stringify(change))
    const problems = parsed.error.issues.map((issue) => ruleProblem(issue))
    assert.deepEqual(
      problems.map((problem) => problem?.field),
      [field],
      JSON.stringify(change),
    )
    if (message) assert.equal(problems[0]?.message, message, JSON.stringify(change))
  }
})

test('a limit for every amount from 0 as it is typed in either language', () => {
  for (const typed of ['0', ' 0 ', '0.00'])
    assert.deepEqual(toRuleInput({ ...NEW_RULE, limits: { XOF: typed } }, 'fr')['limits'], { XOF: '0' }, typed)
})
