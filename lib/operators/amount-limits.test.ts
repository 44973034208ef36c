import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AMOUNT_MINOR_MAX } from '#lib/money/money.ts'
import { areContradictory, effectiveLimits, isWithin, type OperatorLimitSettings } from './amount-limits.ts'

type Case = {
  /** Minimum, maximum, and whether the application enforces them. */
  service: [minimum: bigint | null, maximum: bigint | null, enforces: boolean]
  /** Minimum, maximum, multiple; undefined: the operator has no settings. */
  settings: [minimum: bigint | null, maximum: bigint | null, multiple: bigint | null] | undefined
  limits: [minimum: bigint, maximum: bigint, multiple: bigint | null]
  areBinding: boolean
}

/** BFOM: 100 to 1,000,000 in its public table. */
const DIRECTION = { operator: 'BFOM', type: 'DEPOSIT' } as const
const TABLE = [100_00n, 1_000_000_00n] as const

const CASES: readonly [name: string, Case][] = [
  ['the table as advice', { service: [null, null, false], settings: undefined, limits: [...TABLE, null], areBinding: false }],
  ['the table, enforced', { service: [null, null, true], settings: undefined, limits: [...TABLE, null], areBinding: true }],
  [
    'limits of the application as advice, wider than the table',
    { service: [50_00n, null, false], settings: undefined, limits: [50_00n, TABLE[1], null], areBinding: false },
  ],
  [
    'limits of the application, enforced',
    { service: [50_00n, 900_00n, true], settings: undefined, limits: [50_00n, 900_00n, null], areBinding: true },
  ],
  [
    'settings of the operator in place of the table',
    { service: [null, null, false], settings: [10_00n, 2_000_000_00n, null], limits: [10_00n, 2_000_000_00n, null], areBinding: true },
  ],
  [
    'settings of the operator, although the application enforces the table',
    { service: [null, null, true], settings: [10_00n, null, null], limits: [10_00n, AMOUNT_MINOR_MAX, null], areBinding: true },
  ],
  [
    'settings of the operator, although the application has other advice',
    { service: [500_00n, 600_00n, false], settings: [10_00n, 700_00n, null], limits: [10_00n, 700_00n, null], areBinding: true },
  ],
  [
    'the strictest of both, the application’s',
    { service: [500_00n, 600_00n, true], settings: [10_00n, 700_00n, 5_00n], limits: [500_00n, 600_00n, 5_00n], areBinding: true },
  ],
  [
    'the strictest of both, the operator’s',
    { service: [5_00n, 900_00n, true], settings: [10_00n, 700_00n, null], limits: [10_00n, 700_00n, null], areBinding: true },
  ],
  [
    'a multiple alone, from the multiple itself',
    { service: [null, null, false], settings: [null, null, 5_00n], limits: [5_00n, 9_999_999_995_00n, 5_00n], areBinding: true },
  ],
  [
    'ends that are multiples, if the settings’ are not',
    { service: [null, null, false], settings: [101_00n, 999_00n, 100_00n], limits: [200_00n, 900_00n, 100_00n], areBinding: true },
  ],
]

for (const [name, { service, settings, limits, areBinding }] of CASES) {
  test(`the limits that count: ${name}`, () => {
    const [minimumMinor, maximumMinor, enforcesLimits] = service
    const set = settings && toSettings(...settings)
    const found = effectiveLimits(DIRECTION, { minimumMinor, maximumMinor, enforcesLimits }, set)
    assert.deepEqual(found, { limits: toSettings(...limits), areBinding })
  })
}

function toSettings<Minor extends bigint | null>(minimumMinor: Minor, maximumMinor: Minor, multipleMinor: bigint | null) {
  return { minimumMinor, maximumMinor, multipleMinor }
}

for (const [amountMinor, multipleMinor, expected] of [
  [99_99n, null, false],
  [100_00n, null, true],
  [200_00n, null, true],
  [200_01n, null, false],
  [100_00n, 5_00n, true],
  [103_00n, 5_00n, false],
  [105_50n, 5_00n, false],
  [105_50n, 50n, true],
] as const) {
  test(`${expected ? 'within' : 'outside'} 100 to 200 in multiples of ${multipleMinor} hundredths: ${amountMinor} hundredths`, () => {
    assert.equal(isWithin(amountMinor, { minimumMinor: 100_00n, maximumMinor: 200_00n, multipleMinor }), expected)
  })
}

for (const [settings, expected] of [
  [toSettings(null, null, null), false],
  [toSettings(5_00n, 5_00n, 5_00n), false],
  [toSettings(6_00n, 5_00n, null), true],
  [toSettings(6_00n, 9_00n, 5_00n), true],
  [toSettings(null, 4_00n, 5_00n), true],
] as const satisfies readonly (readonly [OperatorLimitSettings, boolean])[]) {
  test(`${expected ? 'contradictory' : 'possible'}: ${Object.values(settings).join(' ')}`, () => {
    assert.equal(areContradictory(settings), expected)
  })
}
