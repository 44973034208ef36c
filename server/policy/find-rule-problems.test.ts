import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { approvalRulesSchema, DEFAULT_POLICY_RULES } from '#lib/rules/approval-policy.ts'
import { findRuleProblems, type RuleMember } from './check-rules.ts'

function member(name: string, roles: string, hasSecondFactor = false): RuleMember {
  return { name, isMaker: roles.includes('maker'), isChecker: roles.includes('checker'), hasSecondFactor }
}
const AMA = member('Ama', 'maker')
const TEAM = [AMA, member('Ben', 'checker'), member('Cora', 'checker')]
const IN_CAMEROON = [{ type: 'DEPOSIT', operator: 'MOMOCM' }] as const

function find(rules: Record<string, unknown>[], members = TEAM, uses: Parameters<typeof findRuleProblems>[2] = IN_CAMEROON) {
  const written = rules.map((rule, index) => ({ name: `R${index + 1}`, sources: ['person'], approvals: [1], ...rule }))
  return findRuleProblems(approvalRulesSchema.parse(written), members, uses)
}

test('nothing for rules that the current checkers can satisfy, nor for the default rules without people', () => {
  assert.deepEqual(find([{ approvals: [2] }, { approvals: [1, 1], sources: ['api', 'file'] }]), [])
  assert.deepEqual(findRuleProblems(DEFAULT_POLICY_RULES, [], IN_CAMEROON), [])
})

test('nobody_can_approve for more checkers than there are, over both steps together', () => {
  const expected = { kind: 'nobody_can_approve', rules: ['R1'], needed: 3, available: 2, needsCode: false }
  assert.deepEqual(find([{ approvals: [3] }]), [expected])
  assert.deepEqual(find([{ approvals: [1, 2] }]), [expected])
  assert.deepEqual(find([{ approvals: [3], sources: ['api'] }]), [expected])
})

test('nobody_can_approve for a code that too few checkers have', () => {
  const [ben, cora] = [member('Ben', 'checker', true), member('Cora', 'checker')]
  assert.deepEqual(find([{ approvals: [2], needsCode: true }], [AMA, ben, cora]), [
    { kind: 'nobody_can_approve', rules: ['R1'], needed: 2, available: 1, needsCode: true },
  ])
  assert.deepEqual(find([{ approvals: [1], needsCode: true }], [AMA, ben, cora]), [])
})

test('nobody_can_approve for rules that only together require too many, named together', () => {
  assert.deepEqual(find([{ approvals: [2] }, { approvals: [1, 1] }]), [])
  // The larger first step and the larger second step.
  const members = [...TEAM, member('Dora', 'checker')]
  assert.deepEqual(find([{ approvals: [2, 1] }, { approvals: [1, 2] }], members), [
    { kind: 'nobody_can_approve', rules: ['R1', 'R2'], needed: 4, available: 3, needsCode: false },
  ])
})

test('nobody_can_approve where every maker is a checker who is needed, makers_stuck where only some are', () => {
  const both = member('Dora', 'maker checker')
  assert.deepEqual(find([{ approvals: [2] }], [both, member('Ben', 'checker')]), [
    { kind: 'nobody_can_approve', rules: ['R1'], needed: 2, available: 1, needsCode: false },
  ])
  assert.deepEqual(find([{ approvals: [2] }], [AMA, both, member('Ben', 'checker')]), [
    { kind: 'makers_stuck', rules: ['R1'], needed: 2, available: 1, needsCode: false, makers: ['Dora'] },
  ])
  assert.deepEqual(find([{ approvals: [2], sources: ['api'] }], [AMA, both, member('Ben', 'checker')]), [])
})

test('currency_without_rule for a currency in use where other currencies have limits', () => {
  const uses = OPERATOR_CODES.map((operator) => ({ type: 'DEPOSIT' as const, operator }))
  const large = { sources: ['api'], limits: { XAF: '50000000' } }
  const currencies = (rules: Record<string, unknown>[], used: typeof uses | typeof IN_CAMEROON) =>
    find(rules, TEAM, used).filter(({ kind }) => kind === 'currency_without_rule')
  assert.deepEqual(currencies([large], uses), [{ kind: 'currency_without_rule', type: 'DEPOSIT', isApi: true, currencies: ['XOF', 'UGX'] }])
  assert.deepEqual(currencies([large], IN_CAMEROON), [])
  assert.deepEqual(currencies([large, { sources: ['api'], countries: ['MALI'] }, { sources: ['api'], operators: ['UGMTN'] }], uses), [])
  const collects = { ...large, limits: { XOF: '50000000' }, types: ['COLLECT'] }
  assert.equal(currencies([large, collects], uses).length, 1)
  assert.deepEqual(
    currencies([{ ...large, sources: ['api', 'person', 'file'] }], uses).map((finding) => 'isApi' in finding && finding.isApi),
    [true, false],
  )
})

test('amounts_without_rule up to the lowest limit of the API, operators_without_rule where rules name others', () => {
  const uses = (['MOMOCM', 'OMCM', 'UGMTN'] as const).map((operator) => ({ type: 'DEPOSIT' as const, operator }))
  const above = (limit: string, rule: Record<string, unknown> = {}) => ({ sources: ['api'], limits: { XAF: limit }, ...rule })
  const gap = { kind: 'amounts_without_rule', type: 'DEPOSIT', currency: 'XAF' }
  const gaps = (...rules: Record<string, unknown>[]) => find(rules, TEAM, uses).filter(({ kind }) => kind !== 'currency_without_rule')
  assert.deepEqual(gaps(above('50000000'), above('10000000')), [{ ...gap, upToMinor: '10000000', operators: null }])
  assert.deepEqual(gaps(above('50000000'), { sources: ['api'] }), [])
  assert.deepEqual(gaps(above('50000000', { sources: ['person', 'file'] })), [])
  // A number that was paid before passes a rule about first payments.
  assert.deepEqual(gaps(above('50000000'), { sources: ['api'], firstTimeOnly: true }), [{ ...gap, upToMinor: '50000000', operators: null }])
  assert.deepEqual(gaps(above('500', { operators: ['MOMOCM'] }), above('900', { operators: ['OMCM'], measure: 'dayTotal' })), [
    { ...gap, upToMinor: '500', operators: ['MOMOCM'] },
    { ...gap, upToMinor: '900', operators: ['OMCM'] },
  ])
  assert.deepEqual(gaps(above('500', { operators: ['MOMOCM'] })), [
    { ...gap, upToMinor: '500', operators: ['MOMOCM'] },
    { kind: 'operators_without_rule', type: 'DEPOSIT', operators: ['OMCM'] },
  ])
})

test('for one rule with a limit per currency: the gap below each limit, the currency that it leaves out, and once what nobody can approve', () => {
  const uses = (['MOMOCM', 'SNWAVE', 'UGMTN'] as const).map((operator) => ({ type: 'DEPOSIT' as const, operator }))
  const gap = { kind: 'amounts_without_rule', type: 'DEPOSIT', operators: null }
  const [xaf, xof] = [
    { ...gap, currency: 'XAF', upToMinor: '500' },
    { ...gap, currency: 'XOF', upToMinor: '900' },
  ]
  const limits = { XAF: '500', XOF: '900' }
  assert.deepEqual(find([{ sources: ['api'], limits: { ...limits, UGX: '0' } }], TEAM, uses), [xaf, xof])
  assert.deepEqual(find([{ sources: ['api'], limits }], TEAM, uses), [
    { kind: 'currency_without_rule', type: 'DEPOSIT', isApi: true, currencies: ['UGX'] },
    xaf,
    xof,
  ])
  assert.deepEqual(
    find([{ limits: { ...limits, UGX: '700' }, approvals: [3] }], TEAM, uses).map(({ kind }) => kind),
    ['nobody_can_approve'],
  )
})

test('no lowest limit of a rule for other countries, and of one for the country itself its own', () => {
  const uses = (['SNWAVE', 'CIWAVE'] as const).map((operator) => ({ type: 'DEPOSIT' as const, operator }))
  const above = (limit: string, countries: string[]) => ({ sources: ['api'], limits: { XOF: limit }, countries })
  assert.deepEqual(find([above('500', ['SENEGAL']), above('900', ['IVORY_COAST'])], TEAM, uses), [
    { kind: 'amounts_without_rule', type: 'DEPOSIT', currency: 'XOF', upToMinor: '500', operators: ['SNWAVE'] },
    { kind: 'amounts_without_rule', type: 'DEPOSIT', currency: 'XOF', upToMinor: '900', operators: ['CIWAVE'] },
  ])
})

test('what is said about several rules stays beside another kind of problem of one of them', () => {
  const both = member('Dora', 'maker checker')
  const findings = find([{ approvals: [2] }, { approvals: [1, 2], limits: { XAF: '100' } }], [AMA, both, member('Ben', 'checker')])
  assert.deepEqual(
    findings.map((finding) => [finding.kind, 'rules' in finding && finding.rules]),
    [
      ['makers_stuck', ['R1']],
      ['nobody_can_approve', ['R1', 'R2']],
    ],
  )
})
