import type { PeriodStep } from '#lib/finance/chart.ts'
import { rangeBefore } from '#lib/finance/finance-comparison.ts'
import type { TotalsDto } from '#lib/finance/finance-dto.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type { TotalsFilter } from '#lib/schemas/page-address.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { FIRST_DAY, LAST_DAY, type OpenRange, resolveDateRange } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { addSums, readLedger, type Sums, ZERO_SUMS } from '../statements/day-ledger.ts'
import { type MoneySums, toMoney } from './money-figures.ts'
import { laterOf, periodsOf, toCharts, toOperatorTotals } from './totals-parts.ts'
import { type FeeSum, type OperatorStatusSum, type PeriodSum, selectDayBounds } from './totals-store.ts'

/** How many characters of a day name the period of a step. */
const LENGTHS = { day: 10, month: 7, year: 4 } as const satisfies Record<PeriodStep, number>

type Completed = Pick<MoneySums, 'all' | 'fees'> & { periods: PeriodSum[] }

/**
 * The same totals by the day on which transactions succeeded, from the sums of the ledger, whose settlements are of that instant: these figures
 * are those of the statements, and what an operator's statement of the day has. Only a success is money, so there are no other statuses.
 */
export function readCompletedTotals(pool: Pool, application: BusinessTime, filter: TotalsFilter, now: Date): Promise<TotalsDto> {
  const { businessZone } = application
  const today = dayIn(businessZone, now)
  const range = resolveDateRange(filter, today)
  const before = rangeBefore(filter, today)
  return withSnapshot(pool, async (snapshot) => {
    // Nothing succeeds before it was created.
    const bounds = await selectDayBounds(snapshot, application)
    const { step, periods } = periodsOf(range, { first: bounds?.first ?? today, last: laterOf(bounds?.last ?? today, today) })
    const sums = await readCompleted(snapshot, application, filter, range, step)
    const sumsBefore = before && (await readCompleted(snapshot, application, filter, before, 'year'))
    return {
      basis: 'completed',
      zone: businessZone,
      ...range,
      before,
      money: toMoney(sums, sumsBefore, 'SUCCESS'),
      step,
      charts: toCharts(sums.periods, periods),
      operators: toOperatorTotals(sums, 'SUCCESS').map((total) => ({ ...total, share: null })),
      apiTotal: null,
      isApiOfSameDays: false,
    }
  })
}

async function readCompleted(
  snapshot: Queryable,
  application: BusinessTime,
  { type, operator: operators }: TotalsFilter,
  { from, to }: OpenRange,
  step: PeriodStep,
): Promise<Completed> {
  const asked = { operator: null, fromDay: from ?? FIRST_DAY, toDay: to ?? LAST_DAY, length: LENGTHS[step] }
  const ledgers = (await readLedger(snapshot, application, asked)).filter(
    ({ balance }) => operators.length === 0 || operators.includes(balance.operator),
  )
  const types = TRANSACTION_TYPES.filter((each) => type === null || each === type)
  const all: OperatorStatusSum[] = []
  const fees: FeeSum[] = []
  const periods: PeriodSum[] = []
  for (const { balance, days } of ledgers) {
    const { operator } = balance
    const total = days.reduce<Sums>(addSums, ZERO_SUMS)
    for (const each of types) {
      all.push({ operator, type: each, status: 'SUCCESS', ...movedBy(total, each) })
      fees.push({ operator, type: each, ...feesBy(total, each) })
      for (const day of days) {
        const moved = movedBy(day, each)
        if (moved.count > 0n) periods.push({ period: day.day, currency: OPERATORS[operator].country.currency, type: each, ...moved })
      }
    }
  }
  return { all, fees, periods: addUp(periods) }
}

/** One row per period, currency and direction. */
function addUp(rows: readonly PeriodSum[]): PeriodSum[] {
  const groups = Map.groupBy(rows, ({ period, currency, type }) => `${period} ${currency} ${type}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const count = others.reduce((sum, row) => sum + row.count, first.count)
    const amountMinor = others.reduce((sum, row) => sum + row.amountMinor, first.amountMinor)
    return [{ ...first, count, amountMinor }]
  })
}

function movedBy(sums: Sums, type: OperatorStatusSum['type']): Pick<OperatorStatusSum, 'count' | 'amountMinor'> {
  return type === 'COLLECT'
    ? { count: sums.collectedCount, amountMinor: sums.collectedMinor }
    : { count: sums.paidCount, amountMinor: sums.paidMinor }
}

function feesBy(sums: Sums, type: OperatorStatusSum['type']): Pick<FeeSum, 'feeSystemMinor' | 'feeAppMinor'> {
  const { collectFeesMinor, collectFeesAppMinor, feesMinor, feesAppMinor } = sums
  const [fees, app] =
    type === 'COLLECT' ? [collectFeesMinor, collectFeesAppMinor] : [feesMinor - collectFeesMinor, feesAppMinor - collectFeesAppMinor]
  return { feeSystemMinor: fees - app, feeAppMinor: app }
}
