import type { BusinessTime } from '#lib/business-days.ts'
import type { CurrencyMoney, MoneyFigures } from '#lib/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { DayRange, OpenRange } from '#lib/time.ts'
import { TRANSACTION_STATUSES, type TransactionStatus } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type RollUpRanges, selectRollUpRanges } from '#server/reports/transaction-search/roll-up-ranges-store.ts'
import { type FeeSum, findFeeMark, selectFeeSums } from './fee-days-store.ts'
import { type OperatorStatusSum, type RollUpQuery, selectOperatorSums } from './roll-up-sums-store.ts'

type MoneySums = { all: OperatorStatusSum[]; fees: FeeSum[]; ranges: RollUpRanges }
type MoneyQuery = RollUpQuery & { status: TransactionStatus | 'ALL' }

/** What the query matches in every status, and the fees of what succeeded, in the caller's snapshot. */
export async function readMoneySums(snapshot: Queryable, application: BusinessTime, query: MoneyQuery): Promise<MoneySums> {
  const { applicationId } = application
  const ranges = await selectRollUpRanges(snapshot, application, query)
  const all = await selectOperatorSums(snapshot, applicationId, query, ranges)
  // Fees are taken when a transaction succeeds.
  const fees =
    query.status === 'SUCCESS' ? await selectFeeSums(snapshot, application, query, await findFeeMark(snapshot, applicationId)) : []
  return { all, fees, ranges }
}

/** The same for the days that are compared; nothing where there are none. */
export async function readSumsBefore(
  snapshot: Queryable,
  application: BusinessTime,
  query: MoneyQuery,
  before: DayRange | null,
): Promise<MoneySums | null> {
  return before === null ? null : readMoneySums(snapshot, application, { ...query, ...(before satisfies OpenRange) })
}

/** The sums with a status. */
export function withStatus(sums: readonly OperatorStatusSum[], status: TransactionStatus | 'ALL'): OperatorStatusSum[] {
  return sums.filter((sum) => status === 'ALL' || sum.status === status)
}

/** The statuses that a filter means. */
export function statusesOf(status: TransactionStatus | 'ALL'): readonly TransactionStatus[] {
  return status === 'ALL' ? TRANSACTION_STATUSES : [status]
}

/** Figures per currency by direction, beside those of the days before. A currency with nothing in either is left out. */
export function toMoney(now: MoneySums, before: MoneySums | null, status: TransactionStatus | 'ALL'): CurrencyMoney[] {
  return CURRENCIES.flatMap((currency) => {
    const isOwn = ({ operator }: Pick<OperatorStatusSum, 'operator'>) => OPERATORS[operator].country.currency === currency
    const figuresOf = ({ all, fees }: MoneySums) => toFigures(withStatus(all, status).filter(isOwn), fees.filter(isOwn))
    const figures = figuresOf(now)
    const figuresBefore = before && figuresOf(before)
    const hasAny = [figures, figuresBefore].some((each) => each && each.collects.count + each.deposits.count > 0)
    return hasAny ? [{ currency, now: figures, before: figuresBefore }] : []
  })
}

function toFigures(sums: readonly OperatorStatusSum[], fees: readonly FeeSum[]): MoneyFigures {
  const collects = sums.filter((sum) => sum.type === 'COLLECT')
  const deposits = sums.filter((sum) => sum.type === 'DEPOSIT')
  return {
    collects: { count: countOf(collects), amount: formatMinor(amountOf(collects)) },
    deposits: { count: countOf(deposits), amount: formatMinor(amountOf(deposits)) },
    net: formatMinor(amountOf(collects) - amountOf(deposits)),
    feesSystem: formatMinor(fees.reduce((sum, fee) => sum + fee.feeSystemMinor, 0n)),
    feesApp: formatMinor(fees.reduce((sum, fee) => sum + fee.feeAppMinor, 0n)),
  }
}

/** How many transactions these sums hold. */
export function countOf(sums: readonly OperatorStatusSum[]): number {
  return Number(sums.reduce((count, sum) => count + sum.count, 0n))
}

/** The exact amount of sums of one direction. */
export function amountOf(sums: readonly OperatorStatusSum[]): bigint {
  return sums.reduce((amount, sum) => amount + sum.amountMinor, 0n)
}

/** Succeeded of finished, 0 to 1; null where nothing finished. */
export function shareOf(sums: readonly OperatorStatusSum[]): number | null {
  const succeeded = countOf(withStatus(sums, 'SUCCESS'))
  const finished = succeeded + countOf(withStatus(sums, 'FAILED'))
  return finished === 0 ? null : succeeded / finished
}
