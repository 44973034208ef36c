import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { badAmounts, draw, goodAmounts, longAmounts, noNumbers, oddAmounts } from '#e2e/attack/values.ts'
import { objectText, pickStart, startCase, transfer } from './transfers.ts'

/** Numbers are returned in their shortest spelling: 0.1 for 0.10. */
function shortest(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount
}

function amountCase(name: string, amounts: typeof goodAmounts, statuses: readonly number[]): CaseMaker {
  return {
    name,
    make(random, arsenal) {
      const amount = draw(random, amounts)
      const fields = transfer(random, arsenal, { amount })
      // Collects only: a large good amount must not empty a deposit balance.
      const start = statuses.includes(200) ? 'collect' : pickStart(random)
      return startCase(`amount ${amount.slice(0, 60)}`, arsenal, start, objectText(fields), statuses, {
        starts: [fields.id],
        inspect: ([answer]) =>
          answer?.status === 200 &&
          amounts === goodAmounts &&
          !answer.body.match(/"amount":[^,}]+/g)?.includes(`"amount":${shortest(amount)}`)
            ? `the amount came back otherwise: ${answer.body.slice(0, 300)}`
            : undefined,
      })
    },
  }
}

export const numbers: Family = {
  name: 'numbers',
  weight: 8,
  makers: [
    amountCase('an amount inside the rule', goodAmounts, [200]),
    amountCase('an amount outside the rule', badAmounts, [400]),
    amountCase('no number as amount', noNumbers, [400]),
    amountCase('an amount in another spelling', oddAmounts, [200, 400]),
    amountCase('an amount of thousands of digits', longAmounts, [400]),
  ],
}
