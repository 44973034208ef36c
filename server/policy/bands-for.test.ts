import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { RULE_SOURCES, ruleSourceOf, TRANSACTION_SOURCES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import {
  type ApprovalBand,
  type ApprovalRule,
  approvalRuleSchema,
  approvalRulesSchema,
  BASE_RULE,
  DEFAULT_POLICY_RULES,
  RULE_MEASURES,
} from '#lib/rules/approval-policy.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { type BandContext, bandsFor, exceedsLimits, joinSteps } from './bands-for.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const steps = fc.oneof(fc.tuple(fc.integer({ min: 1, max: 5 })), fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })))
const limit = fc.constantFrom('0', '1', '99', '100', '5000000', '999999999999')
const rule: fc.Arbitrary<ApprovalRule> = fc.record({
  name: fc.string({ minLength: 1, maxLength: 5 }),
  sources: fc.subarray([...RULE_SOURCES], { minLength: 1 }),
  types: fc.subarray([...TRANSACTION_TYPES], { minLength: 1 }),
  operators: fc.option(fc.subarray([...OPERATOR_CODES], { minLength: 1 })),
  countries: fc.option(fc.subarray([...COUNTRY_NAMES], { minLength: 1 })),
  limits: fc.record({ XAF: limit, XOF: limit, UGX: limit }, { requiredKeys: [] }),
  measure: fc.constantFrom(...RULE_MEASURES),
  firstTimeOnly: fc.boolean(),
  approvals: steps,
  needsCode: fc.boolean(),
  apiMayDecide: fc.boolean(),
  expiresInHours: fc.integer({ min: 1, max: 720 }),
})
const context: fc.Arbitrary<BandContext> = fc
  .record({
    type: fc.constantFrom(...TRANSACTION_TYPES),
    operator: fc.constantFrom(...OPERATOR_CODES),
    source: fc.constantFrom(...TRANSACTION_SOURCES),
  })
  .map((given) => ({ ...given, currency: OPERATORS[given.operator].country.currency }))
const minor = fc.constantFrom(1n, 2n, 99n, 100n, 101n, 5_000_000n, 5_000_001n, 999_999_999_999n)
/** The 24-hour total includes the payment. */
const payment = fc
  .record({
    amountMinor: minor,
    batchMinor: fc.oneof(fc.constant(0n), minor),
    earlierMinor: fc.oneof(fc.constant(0n), minor),
    isFirst: fc.boolean(),
  })
  .map(({ earlierMinor, ...given }) => ({ ...given, dayMinor: earlierMinor + given.amountMinor }))
type Payment = { amountMinor: bigint; batchMinor: bigint; dayMinor: bigint; isFirst: boolean }

function largest(...amounts: bigint[]): bigint {
  return amounts.reduce((left, right) => (left > right ? left : right))
}

/** Returns the choice of approval_band_among in the database. */
function chosen(bands: ApprovalBand[] | null, { amountMinor, batchMinor, dayMinor, isFirst }: Payment): ApprovalBand | undefined {
  const weighed = { weighedMinor: largest(amountMinor, batchMinor, dayMinor), batchMinor, dayMinor }
  return bands?.findLast((band) => exceedsLimits(band, weighed) && (isFirst || !band.firstTimeOnly))
}

function firing(rules: readonly ApprovalRule[], where: BandContext, what: Payment): ApprovalRule[] {
  const measured = { any: largest(what.amountMinor, what.batchMinor, what.dayMinor), batchTotal: what.batchMinor, dayTotal: what.dayMinor }
  return rules.filter(
    (candidate) =>
      candidate.sources.includes(ruleSourceOf(where.source)) &&
      candidate.types.includes(where.type) &&
      (candidate.operators ?? [...OPERATOR_CODES]).includes(where.operator) &&
      (candidate.countries ?? [...COUNTRY_NAMES]).includes(OPERATORS[where.operator].country.name) &&
      exceedsLimitOf(candidate, where, measured[candidate.measure]) &&
      (what.isFirst || !candidate.firstTimeOnly),
  )
}

/** A rule without limits applies to every currency, another one to those that it names. */
function exceedsLimitOf({ limits }: ApprovalRule, { currency }: BandContext, amountMinor: bigint): boolean {
  const limit = Object.keys(limits).length === 0 ? '0' : limits[currency]
  return limit !== undefined && amountMinor > BigInt(limit)
}

test('a band with threshold 0 and a checker for persons and files, under every combination of rules', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), context, payment, (rules, where, what) => {
      if (ruleSourceOf(where.source) === 'api') return
      const band = chosen(bandsFor({ version: 3, rules }, where), what)
      assert.ok(band && (band.steps[0] ?? 0) >= 1)
    }),
    { numRuns: 2_000 },
  )
})

test('a chosen band that satisfies every rule that applies, and requires nothing that no rule requires', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), context, payment, (rules, where, what) => {
      const band = chosen(bandsFor({ version: 3, rules }, where), what)
      const fired = firing(rules, where, what)
      if (ruleSourceOf(where.source) === 'api') assert.equal(band !== undefined, fired.length > 0)
      assert.ok(band || fired.length === 0)
      if (!band || fired.length === 0) return
      const total = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0)
      for (const one of fired) {
        assert.ok(total(band.steps) >= total(one.approvals))
        if (one.approvals.length === 2)
          assert.ok(band.steps.length === 2 && (band.steps[0] ?? 0) >= one.approvals[0] && (band.steps[1] ?? 0) >= one.approvals[1])
        assert.ok(band.needsCode || !one.needsCode)
        assert.ok(band.expiresInHours <= one.expiresInHours)
        assert.ok(band.rule.parts.some((part) => part.name === one.name))
      }
      assert.ok(band.steps.length <= 2 && band.steps.every((count) => count >= 1 && count <= 5))
      assert.equal(
        band.needsCode,
        fired.some((one) => one.needsCode),
      )
      // One rule that leaves the decision to people is enough.
      assert.ok(!band.apiMayDecide || fired.every((one) => one.apiMayDecide))
      assert.equal(band.policyVersion, 3)
    }),
    { numRuns: 2_000 },
  )
})

test('null for the API, and one checker within seven days for everything else, without rules and with the default rules', () => {
  for (const policy of [null, { version: 1, rules: DEFAULT_POLICY_RULES }]) {
    const where = { type: 'DEPOSIT', operator: 'MOMOCM', currency: 'XAF' } as const
    assert.equal(bandsFor(policy, { ...where, source: 'api' }), null)
    for (const source of ['person', 'file'] as const) {
      const [band, ...others] = bandsFor(policy, { ...where, source }) ?? []
      assert.deepEqual(others, [])
      assert.deepEqual([band?.steps, band?.needsCode, band?.expiresInHours, band?.aboveMinor], [[1], false, 168, '0'])
    }
  }
  assert.ok(approvalRulesSchema.safeParse(DEFAULT_POLICY_RULES).success)
})

test('a band from approval_band_for above its threshold, none at it', async () => {
  const rules = [
    approvalRuleSchema.parse({
      name: 'Large',
      sources: ['api'],
      limits: { XAF: '500000' },
      approvals: [2, 1],
      needsCode: true,
      expiresInHours: 24,
    }),
  ]
  const bands = bandsFor({ version: 7, rules }, { type: 'DEPOSIT', operator: 'OMCM', currency: 'XAF', source: 'api' })
  for (const [amount, fires] of [
    ['499999', false],
    ['500000', false],
    ['500001', true],
  ] as const) {
    const { rows } = await database.pool.query<{ band: ApprovalBand | null }>(
      `select approval_band_for($1, 'DEPOSIT', null, 'api', array['237677000001'], $2, 0, 0, $3::jsonb, now()) as band`,
      [crypto.randomUUID(), amount, JSON.stringify(bands)],
    )
    assert.equal(rows[0]?.band !== null, fires, amount)
    if (fires) assert.deepEqual(rows[0]?.band, bands?.[0])
  }
})

test('the same band from approval_band_among as from TypeScript, for every combination of limits', async () => {
  const cases = fc.sample(fc.tuple(fc.array(rule, { maxLength: 8 }), context, payment), { numRuns: 300, seed: 12 })
  const asked = cases.map(([rules, where, what]) => ({ bands: bandsFor({ version: 3, rules }, where) ?? [], ...what }))
  const { rows } = await database.pool.query<{ band: ApprovalBand | null }>(
    `select approval_band_among(a.bands, a.amount, a.batch, a.day, a.first) as band
       from unnest($1::jsonb[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[]) with ordinality
         as a (bands, amount, batch, day, first, position) order by a.position`,
    [
      asked.map(({ bands }) => JSON.stringify(bands)),
      asked.map(({ amountMinor }) => amountMinor),
      asked.map(({ batchMinor }) => batchMinor),
      asked.map(({ dayMinor }) => dayMinor),
      asked.map(({ isFirst }) => isFirst),
    ],
  )
  assert.ok(rows.filter(({ band }) => band?.aboveBatchMinor !== undefined).length > 5)
  for (const [index, { bands, ...what }] of asked.entries()) assert.deepEqual(rows[index]?.band, chosen(bands, what) ?? null)
})

test('an error for limits on totals with more than 100 combinations, none for 50 limits of one kind', () => {
  const limits = (measure: string, count: number, currency = 'XAF') =>
    Array.from({ length: count }, (_, index) => ({
      name: `${measure} ${currency} ${index}`,
      sources: ['api'],
      limits: { [currency]: String(100 * (index + 1)) },
      measure,
      approvals: [1],
    }))
  assert.ok(approvalRulesSchema.safeParse(limits('any', 50)).success)
  assert.ok(approvalRulesSchema.safeParse([...limits('any', 4), ...limits('batchTotal', 4), ...limits('dayTotal', 4)]).success)
  assert.ok(!approvalRulesSchema.safeParse([...limits('any', 5), ...limits('batchTotal', 4), ...limits('dayTotal', 4)]).success)
  // A transaction has one currency: limits in others are no combinations of its.
  const twice = (currency: string) => [...limits('any', 4), ...limits('batchTotal', 4, currency), ...limits('dayTotal', 4)]
  assert.ok(approvalRulesSchema.safeParse([...twice('XAF'), ...limits('any', 9, 'XOF'), ...limits('dayTotal', 9, 'UGX')]).success)
  assert.ok(!approvalRulesSchema.safeParse([...twice('XAF'), { name: 'Always', sources: ['api'], approvals: [1] }]).success)
})

test('an error for a rule that makes no sense', () => {
  const good = { name: 'Large', sources: ['api'], approvals: [1] }
  assert.deepEqual(approvalRuleSchema.parse(good), {
    ...good,
    types: ['DEPOSIT'],
    operators: null,
    countries: null,
    limits: {},
    measure: 'any',
    firstTimeOnly: false,
    needsCode: false,
    apiMayDecide: false,
    expiresInHours: 168,
  })
  const bad = [
    { sources: [] },
    { approvals: [0] },
    { approvals: [6] },
    { approvals: [1, 2, 3] },
    { approvals: [] },
    { limits: { XAF: '-1' } },
    { limits: { XAF: '1.5' } },
    { limits: { XAF: '' } },
    { limits: { XAF: 100 } },
    { limits: { EUR: '100' } },
    { limits: { XAF: '100', XOF: '01' } },
    { limits: null },
    // The rule could never apply to these amounts.
    { limits: { XAF: '100' }, operators: ['SNWAVE'] },
    { limits: { XAF: '100', XOF: '100' }, countries: ['MALI'] },
    { limits: { XOF: '100' }, operators: ['MOMOCM', 'SNWAVE'], countries: ['CAMEROON'] },
    // A misspelt limit must not become none.
    { limit: { XAF: '100' } },
    { operators: ['NOPE'] },
    { expiresInHours: 0 },
    { name: ' ' },
    { name: 'a\u0000b' },
    { name: 'a\ud800' },
    { sources: ['fax'] },
    { countries: [] },
    { countries: ['FRANCE'] },
    { measure: 'amount' },
    { measure: 'batchTotal' },
    { measure: 'dayTotal', limits: { XAF: '100', XOF: '0' } },
  ]
  for (const change of bad) assert.ok(!approvalRuleSchema.safeParse({ ...good, ...change }).success, JSON.stringify(change))
  assert.ok(!approvalRulesSchema.safeParse([good, good]).success)
})

test('apiMayDecide false for a stored rule that does not mention it, true for the default rule as it was stored before', () => {
  const { apiMayDecide, ...stored } = BASE_RULE
  assert.equal(apiMayDecide, true)
  assert.equal(approvalRuleSchema.parse(stored).apiMayDecide, true)
  assert.equal(approvalRuleSchema.parse({ ...stored, apiMayDecide: false }).apiMayDecide, false)
  for (const change of [{ name: 'Large' }, { approvals: [2] }, { needsCode: true }, { sources: ['api'] }, { expiresInHours: 24 }])
    assert.equal(approvalRuleSchema.parse({ ...stored, ...change }).apiMayDecide, false, JSON.stringify(change))
  assert.equal(approvalRuleSchema.parse({ name: 'Large', sources: ['api'], approvals: [1], apiMayDecide: true }).apiMayDecide, true)
})

test('apiMayDecide false for what people prepare and only the base rule holds back, in an application with rules of its own', () => {
  const large = approvalRuleSchema.parse({ name: 'Large', sources: ['person'], limits: { XAF: '5000000' }, approvals: [2] })
  for (const apiMayDecide of [true, false]) {
    const policy = { version: 3, rules: [{ ...large, apiMayDecide }] }
    for (const source of ['person', 'file'] as const) {
      const [lowest] = bandsFor(policy, { type: 'DEPOSIT', operator: 'MOMOCM', currency: 'XAF', source }) ?? []
      assert.deepEqual([lowest?.rule.name, lowest?.aboveMinor, lowest?.apiMayDecide], [BASE_RULE.name, '0', false])
    }
  }
  for (const policy of [null, { version: 1, rules: [] }, { version: 1, rules: DEFAULT_POLICY_RULES }]) {
    const bands = bandsFor(policy, { type: 'DEPOSIT', operator: 'MOMOCM', currency: 'XAF', source: 'person' })
    assert.deepEqual(
      bands?.map((band) => band.apiMayDecide),
      [true],
    )
  }
})

for (const [rules, joined] of [
  [[[2], [3], [1]], [3]],
  [
    [
      [2, 1],
      [1, 3],
    ],
    [2, 3],
  ],
  [
    [[1, 1], [5]],
    [1, 4],
  ],
  [
    [[3, 1], [2]],
    [3, 1],
  ],
] as const)
  test(`${joined.join(' and then ')} checkers for rules that require ${rules.map((steps) => steps.join(' and then ')).join('; ')}`, () => {
    assert.deepEqual(joinSteps(rules), joined)
  })

test('the names of the own rules alone on a band to which the base rule contributes, and the name of the base rule where there is no other', () => {
  const large = approvalRuleSchema.parse({ name: 'Large', sources: ['person'], limits: { XAF: '5000000' }, approvals: [2] })
  const payment = { type: 'DEPOSIT', operator: 'MOMOCM', currency: 'XAF', source: 'person' } as const
  const bands = bandsFor({ version: 3, rules: [large] }, payment) ?? []
  assert.deepEqual(
    bands.map(({ rule }) => [rule.name, rule.parts.map(({ name }) => name)]),
    [
      [BASE_RULE.name, [BASE_RULE.name]],
      ['Large', ['Large']],
    ],
  )
})
