import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Movement } from '#server/operators/simulator/books.ts'
import { DAY_MS, HOUR_MS } from './history/plan-history.ts'
import type { LiveTransaction } from './history/simulation.ts'

/** An operator's act that differs from our ledger of one transaction. Amounts in hundredths. */
export type Change = {
  isPaid?: boolean
  /** The operator has never heard of it. */
  isAbsent?: boolean
  /** It moved this much more. */
  moreMinor?: bigint
  feeMinor?: bigint
  executedAtMs?: number
  reversedAtMs?: number
}

/** By transaction; what moved without one of ours; days without a statement, as YYYY-MM-DD. */
export type Cases = {
  changes: ReadonlyMap<string, Change>
  movements: readonly (Movement & { operator: OperatorCode })[]
  lostDays: readonly { operator: OperatorCode; day: string }[]
}

export const NO_CASES: Cases = { changes: new Map(), movements: [], lostDays: [] }

/** Where the cases are: an operator with an account for each direction. Its day begins an hour before that of UTC. */
const OPERATOR = 'MOMOCM'
const OFFSET_MS = HOUR_MS
const LOST = { operator: 'CIWAVE', daysAgo: 4 } as const

/** The fee that MTN and Wave keep of each collect: 1 %, rounded up to a whole unit. The others charge nothing. */
export function usualFeeMinor({ operator, type, amountMinor }: Pick<LiveTransaction['item'], 'operator' | 'type' | 'amountMinor'>): bigint {
  return type === 'COLLECT' && ['MTN', 'Wave'].includes(OPERATORS[operator].brand) ? shareOf(amountMinor, 10_000n) : 0n
}

/** A share in millionths, rounded up to a whole unit. */
function shareOf(amountMinor: bigint, millionths: bigint): bigint {
  return ((amountMinor * millionths + 99_999_999n) / 100_000_000n) * 100n
}

type Ended = Pick<LiveTransaction, 'item' | 'status' | 'final' | 'plan'>

/**
 * Plans what close of day has to find in the last seven days: one of each class of lines and transactions. The rest of the history agrees
 * with its operators. The same transactions are chosen in every sandbox that is filled at the same time.
 */
export function planCases(sent: readonly Ended[], nowMs: number): Cases {
  const recent = sent.filter(
    ({ final, item }) => final && final.atMs > nowMs - 6 * DAY_MS && final.atMs < nowMs - 26 * HOUR_MS && item.type === 'COLLECT',
  )
  const paid = recent.filter(({ item, status }) => status === 'SUCCESS' && item.operator === OPERATOR)
  const refused = recent.filter(({ status, plan }) => status === 'FAILED' && !plan.isContradicted)
  const paidLate = refused.find(({ item }) => item.operator === OPERATOR) ?? refused[0]
  const [costlier, smaller, failedThere, absent, reversed, twice, late] = paid
  const changes = new Map<string, Change>()
  const change = (ended: Ended | undefined, made: (ended: Ended) => Change) => ended && changes.set(ended.item.transactionId, made(ended))
  change(costlier, ({ item }) => ({ feeMinor: shareOf(item.amountMinor, 15_000n) }))
  change(smaller, () => ({ moreMinor: -10_000n }))
  change(failedThere, () => ({ isPaid: false }))
  change(absent, () => ({ isAbsent: true }))
  change(reversed, (ended) => ({ reversedAtMs: endOf(ended) + 2 * HOUR_MS }))
  change(late, (ended) => ({ executedAtMs: nextDayMs(endOf(ended)) + 5 * 60_000 }))
  change(paidLate, () => ({ isPaid: true, feeMinor: 0n }))
  const day = new Date(nowMs - LOST.daysAgo * DAY_MS).toISOString().slice(0, 10)
  return { changes, movements: [...movementsOf(nowMs), ...(twice ? [secondOf(twice)] : [])], lostDays: [{ operator: LOST.operator, day }] }
}

function endOf({ final }: Ended): number {
  return final?.atMs ?? 0
}

/** The first instant of the operator's next day. */
function nextDayMs(atMs: number): number {
  return (Math.floor((atMs + OFFSET_MS) / DAY_MS) + 1) * DAY_MS - OFFSET_MS
}

/** The customer paid twice. */
function secondOf(ended: Ended): Cases['movements'][number] {
  const { amountMinor, phoneNumber, transactionId, applicationId } = ended.item
  return {
    id: '900000000007',
    operator: OPERATOR,
    account: 'collect',
    kind: 'payment',
    amount: formatMinor(amountMinor),
    atMs: endOf(ended) + 4 * 60_000,
    context: `${transactionId}.${applicationId}`,
    phoneNumber,
  }
}

/** Money without a transaction of ours, three days ago at noon. */
function movementsOf(nowMs: number): Cases['movements'] {
  const noonMs = nextDayMs(nowMs - 4 * DAY_MS) + DAY_MS / 2
  const at = (id: string, minutes: number, kind: Movement['kind'], amount: string, more: Partial<Movement> = {}) => {
    return { id, account: 'collect' as const, kind, amount, atMs: noonMs + minutes * 60_000, ...more, operator: OPERATOR } as const
  }
  return [
    at('900000000001', 0, 'payment', '7500', { phoneNumber: '237677000333' }),
    at('900000000002', 10, 'fee', '-2500'),
    at('900000000003', 11, 'tax', '-480'),
    at('900000000004', 20, 'commission', '1200'),
    at('900000000005', 30, 'own_transfer', '-20000', { account: 'deposit', phoneNumber: '237670000201' }),
    at('900000000005', 30, 'own_transfer', '20000', { phoneNumber: '237670000202' }),
    at('900000000006', 40, 'other', '-75'),
  ]
}
