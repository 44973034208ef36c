import type { CurrencyMoney, MoneyFigures } from '#lib/finance/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_STATUSES, type TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import type { DayRange, OpenRange } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type RollUpRanges, selectRollUpRanges } from '../transaction-search/day-counts-store.ts'
import { type FeeSum, findFeeMark, type OperatorStatusSum, type RollUpQuery, selectFeeSums, selectOperatorSums } from './totals-store.ts'

/** The sums of what matches a query in every status; the fees are null while they are being summed. */
export type MoneySums = { all: OperatorStatusSum[]; fees: FeeSum[] | null; ranges: RollUpRanges }
type SumsToShow = Pick<MoneySums, 'all' | 'fees'>
type MoneyQuery = RollUpQuery & { status: TransactionStatus | 'ALL' }

/**
 * Succeeded transactions that are added one by one where their fees are not summed by day yet: as many as 800 per second leave until the task
 * runs again, and some 40 ms of reading. A first start over a history has more to sum, at about two seconds per million: until then pages show
 * no fees, because those of a part would be wrong, and all of them would take longer than anybody should wait.
 */
export const LATE_MAX = 50_000n

/**
 * Returns the sums of the query in every status, and the fees of succeeded transactions (null while they are being summed), in the caller's
 * snapshot; and the same for the days that are compared, null where there are none.
 */
export async function readMoneySums(
  snapshot: Queryable,
  application: BusinessTime,
  query: MoneyQuery,
  before: DayRange | null,
): Promise<{ sums: MoneySums; sumsBefore: MoneySums | null }> {
  const asked: OpenRange[] = before ? [query, before] : [query]
  // Fees are taken when a transaction succeeds, so no other status has any.
  const [fees, feesBefore] = query.status === 'SUCCESS' ? await readFees(snapshot, application, query, asked) : asked.map(() => [])
  const read = async (range: OpenRange): Promise<Omit<MoneySums, 'fees'>> => {
    const ranges = await selectRollUpRanges(snapshot, application, range)
    return { all: await selectOperatorSums(snapshot, application.applicationId, query, ranges), ranges }
  }
  const sums = { ...(await read(query)), fees: fees ?? null }
  return { sums, sumsBefore: before && { ...(await read(before)), fees: feesBefore ?? null } }
}

/** The fees of what succeeded in some ranges of days, one list per range; none at all while too many are not summed yet. */
export async function readFees(
  snapshot: Queryable,
  application: BusinessTime,
  query: RollUpQuery,
  ranges: readonly OpenRange[],
): Promise<readonly FeeSum[][]> {
  const { addedUntil, behind } = await findFeeMark(snapshot, application.applicationId)
  return behind > LATE_MAX ? [] : selectFeeSums(snapshot, application, query, ranges, addedUntil)
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
export function toMoney(now: SumsToShow, before: SumsToShow | null, status: TransactionStatus | 'ALL'): CurrencyMoney[] {
  return CURRENCIES.flatMap((currency) => {
    const isOwn = ({ operator }: Pick<OperatorStatusSum, 'operator'>) => OPERATORS[operator].country.currency === currency
    const figuresOf = ({ all, fees }: SumsToShow) => toFigures(withStatus(all, status).filter(isOwn), fees?.filter(isOwn))
    const figures = figuresOf(now)
    const figuresBefore = before && figuresOf(before)
    const hasAny = [figures, figuresBefore].some((each) => each && each.collects.count + each.deposits.count > 0)
    return hasAny ? [{ currency, now: figures, before: figuresBefore }] : []
  })
}

function toFigures(sums: readonly OperatorStatusSum[], fees: readonly FeeSum[] | undefined): MoneyFigures {
  const collects = sums.filter((sum) => sum.type === 'COLLECT')
  const deposits = sums.filter((sum) => sum.type === 'DEPOSIT')
  return {
    collects: { count: countOf(collects), amount: formatMinor(amountOf(collects)) },
    deposits: { count: countOf(deposits), amount: formatMinor(amountOf(deposits)) },
    net: formatMinor(amountOf(collects) - amountOf(deposits)),
    fees: fees ? feesOf(fees) : null,
  }
}

/** The service's and the application's part of some fees. */
export function feesOf(fees: readonly FeeSum[]): { system: string; app: string } {
  return {
    system: formatMinor(fees.reduce((sum, fee) => sum + fee.feeSystemMinor, 0n)),
    app: formatMinor(fees.reduce((sum, fee) => sum + fee.feeAppMinor, 0n)),
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
