import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { filteredOperators, type TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import { FIRST_DAY, LAST_DAY, type UtcDay } from '#lib/time.ts'
import { TRANSACTION_STATUSES } from '#lib/transaction-status.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { edgesOf, type RollUpRanges } from './roll-up-ranges-store.ts'

/** A day or a sealed month of an application: all its transactions, and those that match the part of the filter that roll-ups know. */
export type PeriodCount = { firstDay: UtcDay; isMonth: boolean; all: bigint; matching: bigint }

/** The matches of one operator. */
export type OperatorSum = { operator: OperatorCode; count: bigint; amountMinor: bigint }

/** The matches in one currency. */
export type CurrencySum = { currency: Currency; count: bigint; amountMinor: bigint }

type Grouped = {
  firstDay: UtcDay | null
  isMonth: boolean | null
  operator: OperatorCode | null
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
 * The days and months of these ranges with their counts, oldest first, and the sums per operator, in one statement and hence one snapshot.
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
    sql`select s.day as "firstDay", s.is_month as "isMonth", s.operator, sum(s.transaction_count) as "all",
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
      select m.month, true, m.operator, m.type, m.status, m.transaction_count, m.amount_minor
        from sealed_operator_months m where m.application_id = ${applicationId} and m.month = any (${ranges.months}::date[])
      union all
      select e.day, e.is_month, e.operator, e.type, e.status, e.transaction_count, e.amount_minor
        from (${edgesOf(applicationId, ranges, TRANSACTION_STATUSES, 'each day')}) e
    ) s group by grouping sets ((s.day, s.is_month), (s.operator)) order by s.day`,
  )
  const periods: PeriodCount[] = []
  const sums: OperatorSum[] = []
  for (const { firstDay, isMonth, operator, all, matching, amount } of rows) {
    if (firstDay !== null) periods.push({ firstDay, isMonth: isMonth === true, all, matching })
    else if (operator !== null) sums.push({ operator, count: matching, amountMinor: amount })
  }
  return { periods, sums }
}
