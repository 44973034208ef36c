import { randomUUID } from 'node:crypto'
import { phoneNumberOf } from '#e2e/crash/phone-numbers.ts'
import { BATCH_ROWS_MAX } from '#lib/batches/batch-fields.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { createRandom } from '#lib/seeded-random.ts'

/** The operator whose account is short. */
export const OPERATOR: OperatorCode = 'OMCM'
/** Of one deposit, in units of the currency. */
const AMOUNT_MAX = 90_000
const AMOUNT_MIN = 25_000
/** The first amount and three top-ups. */
export const PORTIONS = 4
const SEED = 25
const LIST_LENGTH = 100

/** A deposit as a partner sends it, without the address for its result. */
export type Deposit = {
  transferMethod: OperatorCode
  countryName: string
  externalId: string
  customerName: string
  phoneNumber: string
  amount: number
}

/**
 * The deposits of a pay-day: half in batches, a quarter in lists of a hundred, and a quarter alone, each by an application of its own.
 * `alone` has a part for the start of the day and one after each top-up, so that new deposits arrive while older ones wait.
 */
export type PayDayPlan = {
  batches: Deposit[][]
  lists: Deposit[][]
  alone: Deposit[][]
  /** The first balance of the account, a third of everything, and the top-ups, which cover the rest to the last unit. */
  portions: number[]
}

/** Makes the same amounts and numbers for the same count of deposits. */
export function planPayDay(count: number): PayDayPlan {
  const random = createRandom(SEED)
  const deposits = Array.from({ length: count }, (): Deposit => {
    const phoneNumber = phoneNumberOf(OPERATOR, random, String(random.between(100, 899)))
    return {
      transferMethod: OPERATOR,
      countryName: OPERATORS[OPERATOR].country.name,
      externalId: randomUUID(),
      customerName: 'Clarisse Mbarga',
      phoneNumber,
      amount: random.between(AMOUNT_MIN, AMOUNT_MAX),
    }
  })
  const half = count >> 1
  const quarter = count >> 2
  const total = deposits.reduce((sum, { amount }) => sum + amount, 0)
  const first = Math.floor(total / 3)
  const topUp = Math.floor((total - first) / (PORTIONS - 1))
  return {
    batches: split(deposits.slice(0, half), Math.min(BATCH_ROWS_MAX, Math.ceil(half / 2))),
    lists: split(deposits.slice(half, half + quarter), LIST_LENGTH),
    alone: split(deposits.slice(half + quarter), Math.ceil((count - half - quarter) / PORTIONS)),
    portions: [first, topUp, topUp, total - first - 2 * topUp],
  }
}

function split<Item>(items: readonly Item[], length: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, index) => items.slice(index * length, (index + 1) * length))
}
