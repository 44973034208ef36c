import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { badAmounts, draw, goodAmounts, noNumbers, oddAmounts } from '#e2e/attack/values.ts'
import { objectText, pickStart, startCase, transfer } from './transfers.ts'

function amountCase(name: string, amounts: typeof goodAmounts, statuses: readonly number[]): CaseMaker {
  return {
    name,
    make(random, arsenal) {
      const amount = draw(random, amounts)
      const fields = transfer(random, arsenal, { amount })
      // Collects only: a large good amount must not empty a deposit balance.
      const start = statuses.includes(200) ? 'collect' : pickStart(random)
      return startCase(`amount ${amount}`, arsenal, start, objectText(fields), statuses, {
        starts: [fields.id],
        inspect: ([answer]) =>
          answer?.status === 200 && amounts === goodAmounts && !new RegExp(`"amount":${amount.replace('.', '\\.')}[,}]`).test(answer.body)
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
    amountCase('an amount at the edge, inside', goodAmounts, [200]),
    amountCase('an amount outside the rule', badAmounts, [400]),
    amountCase('no number as amount', noNumbers, [400]),
    amountCase('an amount in another spelling', oddAmounts, [200, 400]),
    manyDigits,
    randomDigits,
  ],
}
