import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_STATUSES, type TransactionStatus, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { filteredOperators, type TransactionFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { addDays, type DayRange, FIRST_DAY, LAST_DAY, monthEnd, type OpenRange, type UtcDay } from '#lib/time/time.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'

/** A day or a sealed month of an application: all its transactions, and those that match the part of the filter that roll-ups know. */
export type PeriodCount = { firstDay: UtcDay; isMonth: boolean; all: bigint; matching: bigint }

/** The matches of one operator, direction and status. */
export type OperatorSum = { operator: OperatorCode; type: TransactionType; status: TransactionStatus; count: bigint; amountMinor: bigint }

/** The matches in one currency, of one direction and status. `feesMinor`: null where the fees were not added up. */
export type PartSum = Omit<OperatorSum, 'operator'> & { currency: Currency; feesMinor: bigint | null }

type Grouped = {
  firstDay: UtcDay | null
  isMonth: boolean | null
  operator: OperatorCode | null
  type: TransactionType | null
  status: TransactionStatus | null
  all: bigint
  matching: bigint
  amount: bigint
}

/** The part of a filter that roll-ups know like rows do: status, type, operator, country and currency, over the table of that alias. */
export function rollUpCondition(filter: TransactionFilter, alias: 's' | 't'): Sql {
  const operators = filteredOperators(filter)
  const conditions: Sql[] = [sql`true`]
  if (filter.status.length > 0) conditions.push(sql`${sql.raw(`${alias}.status`)} = any (${filter.status})`)
  if (filter.type.length > 0) conditions.push(sql`${sql.raw(`${alias}.type`)} = any (${filter.type})`)
  if (operators) conditions.push(sql`${sql.raw(`${alias}.operator`)} = any (${operators})`)
  return sql`${sql.join(conditions, sql` and `)}`
}

/**
 * The days and months of these ranges with their counts, oldest first, and the sums per operator, direction and status, in one statement and hence one snapshot.
 * No end of the filter's dates may divide one of the months. `offset 0` keeps the planner at one descent of the key per range and status.
 */
export async function selectPeriodCounts(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  ranges: RollUpRanges,
): Promise<{ periods: PeriodCount[]; sums: OperatorSum[] }> {
  const isWithin = sql`s.day >= ${filter.from ?? FIRST_DAY}::date and s.day <= ${filter.to ?? LAST_DAY}::date`
  const matches = sql`${rollUpCondition(filter, 's')} and ${isWithin}`
  const rows = await runQuery<Grouped>(
    queryable,
    sql`select s.day as "firstDay", s.is_month as "isMonth", s.operator, s.type, s.status, sum(s.transaction_count) as "all",
      coalesce(sum(s.transaction_count) filter (where ${matches}), 0) as matching,
      coalesce(sum(s.amount_minor) filter (where ${matches}), 0) as amount
    from (
      select d.day, false as is_month, d.operator, d.type, d.status, d.transaction_count, d.amount_minor
        from unnest(${ranges.fromDays}::date[], ${ranges.toDays}::date[]) as g (from_day, to_day)
        cross join unnest(${TRANSACTION_STATUSES}::text[]) as w (status)
        cross join lateral (
          select * from transaction_days n
            where n.application_id = ${applicationId} and n.status = w.status and n.day between g.from_day and g.to_day offset 0) d
      union all
      select l.day, false, l.operator, l.type, l.status, l.transaction_count, l.amount_minor
        from (${lateDays(applicationId, ranges, TRANSACTION_STATUSES)}) l
      union all
      select m.month, true, m.operator, m.type, m.status, m.transaction_count, m.amount_minor
        from sealed_operator_months m where m.application_id = ${applicationId} and m.month = any (${ranges.months}::date[])
      union all
      select e.day, e.is_month, e.operator, e.type, e.status, e.transaction_count, e.amount_minor
        from (${edgesOf(applicationId, ranges, TRANSACTION_STATUSES, 'each day')}) e
    ) s group by grouping sets ((s.day, s.is_month), (s.operator, s.type, s.status)) order by s.day`,
  )
  const periods: PeriodCount[] = []
  const sums: OperatorSum[] = []
  for (const { firstDay, isMonth, operator, type, status, all, matching, amount } of rows) {
    if (firstDay !== null) periods.push({ firstDay, isMonth: isMonth === true, all, matching })
    else if (operator !== null && type !== null && status !== null)
      sums.push({ operator, type, status, count: matching, amountMinor: amount })
  }
  return { periods, sums }
}

/**
 * Where sums over a range of days are read: whole sealed months, and the ranges of days between them. `zone`: in which these are days. The
 * roll-ups are of UTC days, and their edges say what of them belongs to another day of the zone.
 */
export type RollUpRanges = { zone: string; months: UtcDay[]; fromDays: UtcDay[]; toDays: UtcDay[] }

/**
 * The whole months of a range that are sealed for the application, in order, by their first days; and the ranges of days that they leave.
 * @param splitDays A sealed month that one of these days divides is left to the days.
 */
export async function selectRollUpRanges(
  queryable: Queryable,
  { applicationId, businessZone }: BusinessTime,
  { from, to }: OpenRange,
  splitDays: readonly UtcDay[] = [],
): Promise<RollUpRanges> {
  const { rows } = await queryable.query<{ month: UtcDay; next: UtcDay }>({
    name: 'select_roll_up_ranges',
    // One descent of the key per month, instead of every row of it.
    text: `with recursive found as (
       (select month from sealed_operator_months where application_id = $1 and month >= $2::date order by month limit 1)
       union all
       select (select m.month from sealed_operator_months m where m.application_id = $1 and m.month > f.month order by m.month limit 1)
         from found f where f.month is not null)
     select month, (month + interval '1 month')::date as next from found
     where month is not null and (month + interval '1 month')::date - 1 <= $3::date`,
    values: [applicationId, from ?? FIRST_DAY, to ?? LAST_DAY],
  })
  const whole = rows.filter(({ month, next }) => !splitDays.some((day) => month < day && day < next))
  const ranges: RollUpRanges = { zone: businessZone, months: whole.map((row) => row.month), fromDays: [], toDays: [] }
  let begin = from ?? FIRST_DAY
  for (const { month, next } of whole) {
    if (begin < month) addRange(ranges, begin, addDays(month, -1))
    begin = next
  }
  if (begin <= (to ?? LAST_DAY)) addRange(ranges, begin, to ?? LAST_DAY)
  return ranges
}

/** The same range read from days alone. */
export function daysOnly(zone: string, { from, to }: OpenRange): RollUpRanges {
  return { zone, months: [], fromDays: [from ?? FIRST_DAY], toDays: [to ?? LAST_DAY] }
}

function addRange(ranges: RollUpRanges, from: UtcDay, to: UtcDay): void {
  ranges.fromDays.push(from)
  ranges.toDays.push(to)
}

/**
 * The transactions of the last minute that the days of these ranges lack, as rows of day, operator, type, status, transaction_count and
 * amount_minor. Sealed months lack nothing.
 */
export function lateDays(applicationId: string, { fromDays, toDays }: RollUpRanges, statuses: readonly TransactionStatus[]): Sql {
  return sql`select l.day, l.operator, l.type, l.status, l.transaction_count, l.amount_minor from late_transaction_days(${applicationId}) l
    where l.status = any (${statuses}::text[])
      and exists (select 1 from unnest(${fromDays}::date[], ${toDays}::date[]) as g (from_day, to_day) where l.day between g.from_day and g.to_day)`
}

/** Whether the sums of each day are wanted, or only those of a range: edges between two days of a range then cancel out. */
type EdgeUse = 'each day' | 'whole ranges'

/**
 * Where edges are read: at borders, between a day and the one before, and for the sums of each day on all days of a range and one on either
 * side. None is read twice. The ranges may come in any order: a page with the newest first asks for the later month first.
 */
function edgePlaces({ months, fromDays, toDays }: RollUpRanges, use: EdgeUse): { borders: UtcDay[]; fromDays: UtcDay[]; toDays: UtcDay[] } {
  const ranges = fromDays.map((from, place) => ({ from, to: toDays[place] ?? from }))
  const parts = [...months.map((month) => ({ from: month, to: monthEnd(month) })), ...(use === 'each day' ? [] : ranges)]
  const windows: DayRange[] = []
  const inOrder = ranges.toSorted((left, right) => (left.from < right.from ? -1 : 1))
  for (const { from, to } of use === 'each day' ? inOrder : []) {
    const window = { from: addDays(from, -1), to: addDays(to, 1) }
    const last = windows.at(-1)
    // Ranges that follow each other, as the days of two months do.
    if (last && window.from <= last.to) last.to = window.to
    else windows.push(window)
  }
  const borders = new Set(parts.flatMap(({ from, to }) => [from, addDays(to, 1)]))
  return {
    borders: [...borders].filter((day) => !windows.some(({ from, to }) => addDays(day, -1) >= from && day <= to)),
    fromDays: windows.map((window) => window.from),
    toDays: windows.map((window) => window.to),
  }
}

/**
 * Returns the corrections that the edges of a zone make to the sums of these ranges, as rows of day, is_month, operator, type, status,
 * transaction_count, amount_minor, fee_system_minor and fee_app_minor. `offset 0` keeps the planner at one descent of the key per place and
 * status.
 */
export function edgesOf(applicationId: string, ranges: RollUpRanges, statuses: readonly TransactionStatus[], use: EdgeUse): Sql {
  const places = edgePlaces(ranges, use)
  const ofZone = sql`e.application_id = ${applicationId} and e.time_zone = ${ranges.zone}`
  return sql`
    select case when p.is_month then date_trunc('month', v.day)::date else v.day end as day, p.is_month, n.operator, n.type, n.status,
           v.sign * n.transaction_count as transaction_count, v.sign * n.amount_minor as amount_minor,
           v.sign * n.fee_system_minor as fee_system_minor, v.sign * n.fee_app_minor as fee_app_minor
      from (
        select x.* from unnest(${places.borders}::date[]) as b (day)
          cross join unnest(${statuses}::text[]) as w (status)
          cross join lateral (values (b.day - 1, b.day), (b.day, b.day - 1)) as c (day, business_day)
          cross join lateral (select * from transaction_day_edges e
            where ${ofZone} and e.status = w.status and e.day = c.day and e.business_day = c.business_day offset 0) x
        union all
        select x.* from unnest(${places.fromDays}::date[], ${places.toDays}::date[]) as g (from_day, to_day)
          cross join unnest(${statuses}::text[]) as w (status)
          cross join lateral (select * from transaction_day_edges e
            where ${ofZone} and e.status = w.status and e.day between g.from_day and g.to_day offset 0) x
      ) n
      cross join lateral (values (n.day, -1), (n.business_day, 1)) v (day, sign)
      cross join lateral (select date_trunc('month', v.day)::date = any (${ranges.months}::date[]) as is_month) p
      where p.is_month or exists (select 1 from unnest(${ranges.fromDays}::date[], ${ranges.toDays}::date[]) as d (from_day, to_day)
                                    where v.day between d.from_day and d.to_day)`
}
