import type { OperatorCode } from '#lib/operators/operators.ts'
import type { StatementFilter } from '#lib/schemas/page-address.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { FIRST_DAY, monthEnd, resolveDateRange, type UtcDay } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { addSums, type LedgerDay, type OperatorLedger, type Sums, ZERO_SUMS } from './day-ledger.ts'
import { countPeriods, type PeriodLength } from './ledger-days-store.ts'

export type StatementRequest = BusinessTime & {
  operator: OperatorCode
  filter: Pick<StatementFilter, 'dates' | 'from' | 'to'>
  now: Date
}

/** A statement with movements on more days than this is by month, on more months by year: a page stays one however long the range. */
export const PERIODS_MAX = 400

export type Period = { day: string; from: UtcDay; to: UtcDay; sums: Sums }

/** Days, or months, or years: the finest of which there are at most `periodsMax`, each limited to the range. */
export function periodsOf(days: readonly LedgerDay[], range: { from: UtcDay; to: UtcDay }, periodsMax: number): Period[] {
  const given = days[0]?.day.length ?? 10
  for (const length of [10, 7, 4].filter((each) => each <= given)) {
    const groups = Map.groupBy(days, (day) => day.day.slice(0, length))
    if (groups.size > periodsMax && length > 4) continue
    return [...groups].map(([period, own]) => {
      const [first, last] = endsOf(period)
      return {
        day: period,
        from: first < range.from ? range.from : first,
        to: last > range.to ? range.to : last,
        sums: own.reduce<Sums>(addSums, ZERO_SUMS),
      }
    })
  }
  return []
}

/** The first and the last day of a day, a month or a year. */
function endsOf(period: string): [UtcDay, UtcDay] {
  if (period.length === 10) return [period, period]
  return period.length === 7 ? [`${period}-01`, monthEnd(period)] : [`${period}-01-01`, `${period}-12-31`]
}

export type LedgerRange = BusinessTime & { operator: OperatorCode; from: UtcDay; to: UtcDay }

/** Day, month or year: the finest of which a range has at most `periodsMax`, so that what is read of it does not grow with it. */
export async function lengthOf(snapshot: Queryable, { applicationId, ...range }: LedgerRange, periodsMax: number): Promise<PeriodLength> {
  if (periodsMax === Number.POSITIVE_INFINITY) return 10
  const { days, months } = await countPeriods(snapshot, applicationId, range)
  return days <= periodsMax ? 10 : months <= periodsMax ? 7 : 4
}

/** The days of a statement. */
export function rangeOf({ filter, businessZone, now }: Omit<StatementRequest, 'operator'>): { from: UtcDay; to: UtcDay } {
  const today = dayIn(businessZone, now)
  const { from, to } = resolveDateRange(filter, today)
  // Nothing is posted after today; the statement of a month ends where the month does.
  return { from: from ?? FIRST_DAY, to: to ?? today }
}

/** The only ledger of a request for one operator. */
export function oneOf(ledgers: readonly OperatorLedger[]): OperatorLedger {
  const [ledger] = ledgers
  if (!ledger) throw new Error('Every operator has a ledger')
  return ledger
}
