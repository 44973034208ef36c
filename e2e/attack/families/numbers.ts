import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { objectText, pickStart, startCase, transfer } from './transfers.ts'

/** Amounts that the service takes: greater than zero, at most two decimals, at most 9,999,999,999.99. */
const GOOD: readonly string[] = ['1', '0.01', '0.1', '1.5', '100', '9999999999.99', '9999999999', '2147483648', '4294967296', '99.99']

/** Amounts that no reading of the rule admits. */
const BAD: readonly string[] = [
  '0',
  '-0',
  '0.0',
  '0.00',
  '-0.01',
  '-1',
  '-9999999999.99',
  '0.001',
  '0.009',
  '1.005',
  '1.999',
  '10000000000',
  '9999999999.991',
  '9999999999.999',
  '10000000000.00',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '1e10',
  '1e308',
  '1e309',
  '-1e309',
  '1e-3',
  '1e-400',
  '1e999999999',
  '1e-999999999',
  '5e-324',
  '"5000"',
  '"1"',
  'true',
  'null',
  '[1]',
  '{"$numberDecimal":"1"}',
]

/** Values that are not JSON numbers. */
const NO_NUMBERS: readonly string[] = [
  '+1',
  '01',
  '00',
  '-01',
  '.5',
  '5.',
  '-.5',
  '1.e2',
  '1e',
  '1e+',
  '1ee2',
  '0x10',
  '0b1',
  '0o7',
  '1_000',
  '1,5',
  '1 000',
  'NaN',
  'Infinity',
  '-Infinity',
  '--1',
  '1n',
  '1f',
  '١',
  '１',
  '½',
  '1..2',
  '1.2.3',
  '1-1',
]

/** Right in value and odd in spelling: the rule does not say, a 500 is wrong in any case. */
const OPEN: readonly string[] = ['1e2', '1E2', '1.0', '1.00', '1.000', '100e-2', '1e0', '0.1e1', '1E+2', '1e-2', '10e9']

function amountCase(name: string, texts: readonly string[], statuses: readonly number[]): CaseMaker {
  return {
    name,
    make(random, arsenal) {
      const amount = random.pick(texts)
      const fields = transfer(random, arsenal, { amount })
      // Collects only: a large good amount must not empty a deposit balance.
      const start = statuses.includes(200) ? 'collect' : pickStart(random)
      return startCase(`amount ${amount}`, arsenal, start, objectText(fields), statuses, {
        starts: [fields.id],
        inspect: ([answer]) =>
          answer?.status === 200 && GOOD.includes(amount) && !new RegExp(`"amount":${amount.replace('.', '\\.')}[,}]`).test(answer.body)
            ? `the amount came back otherwise: ${answer.body.slice(0, 300)}`
            : undefined,
      })
    },
  }
}

const manyDigits: CaseMaker = {
  name: 'an amount of thousands of digits',
  make(random, arsenal) {
    const digits = random.pick([20, 400, 5_000, 50_000])
    const amount = random.pick([
      '9'.repeat(digits),
      `0.${'0'.repeat(digits)}1`,
      `1.${'0'.repeat(digits)}1`,
      `1e${'9'.repeat(digits)}`,
      `1e-${'9'.repeat(digits)}`,
      `${'1'.repeat(digits)}e-${digits}`,
    ])
    const fields = transfer(random, arsenal, { amount })
    return startCase(`an amount of ${amount.length} characters`, arsenal, pickStart(random), objectText(fields), [400], {
      starts: [fields.id],
    })
  },
}

const randomDigits: CaseMaker = {
  name: 'random amounts around the boundaries',
  make(random, arsenal) {
    const hundredths =
      BigInt(random.pick(['1', '100', '999999999999', '1000000000000', '9007199254740991'])) + BigInt(random.between(-2, 2))
    const sign = hundredths < 0n ? '-' : ''
    const digits = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, '0')
    const amount = `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
    const isGood = hundredths > 0n && hundredths <= 999_999_999_999n
    const fields = transfer(random, arsenal, { amount })
    return startCase(`amount ${amount}`, arsenal, isGood ? 'collect' : pickStart(random), objectText(fields), [isGood ? 200 : 400], {
      starts: [fields.id],
    })
  },
}

export const numbers: Family = {
  name: 'numbers',
  weight: 8,
  makers: [
    amountCase('an amount at the edge, inside', GOOD, [200]),
    amountCase('an amount outside the rule', BAD, [400]),
    amountCase('no number as amount', NO_NUMBERS, [400]),
    amountCase('an amount in another spelling', OPEN, [200, 400]),
    manyDigits,
    randomDigits,
  ],
}
