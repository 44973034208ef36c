import type { BusinessTime } from '#lib/business-days.ts'
import type { PeriodStep } from '#lib/chart-periods.ts'
import type { Currency } from '#lib/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators.ts'
import type { UtcDay } from '#lib/time.ts'
import { TRANSACTION_STATUSES, type TransactionStatus, type TransactionType } from '#lib/transaction-status.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { edgesOf, type RollUpRanges } from '#server/reports/transaction-search/roll-up-ranges-store.ts'

export type RollUpQuery = { from: UtcDay | null; to: UtcDay | null; type: TransactionType | null; operators: readonly OperatorCode[] }

export type OperatorStatusSum = {
  operator: OperatorCode
  type: TransactionType
  status: TransactionStatus
  count: bigint
  amountMinor: bigint
}

/** The sums of some ranges with these statuses, from days, sealed months and the edges of the zone: the parts of a query that the roll-ups know. */
function summed(
  applicationId: string,
  query: Omit<RollUpQuery, 'from' | 'to'>,
  ranges: RollUpRanges,
  statuses: readonly TransactionStatus[],
  edges: Sql,
): Sql {
  const operators = query.operators.length > 0 ? query.operators : OPERATOR_CODES
  // `offset 0` keeps the planner at one descent of the key per range and status: otherwise it reads ten years of days for the last month.
  return sql`(
    select s.day, s.operator, s.type, s.status, s.transaction_count, s.amount_minor from (
      select d.day, d.operator, d.type, d.status, d.transaction_count, d.amount_minor
        from unnest(${ranges.fromDays}::date[], ${ranges.toDays}::date[]) as g (from_day, to_day)
        cross join unnest(${statuses}::text[]) as s (status)
        cross join lateral (
          select n.day, n.operator, n.type, n.status, n.transaction_count, n.amount_minor from transaction_days n
            where n.application_id = ${applicationId} and n.status = s.status and n.day between g.from_day and g.to_day offset 0) d
      union all
      select m.month, m.operator, m.type, m.status, m.transaction_count, m.amount_minor from sealed_operator_months m
        where m.application_id = ${applicationId} and m.month = any (${ranges.months}::date[]) and m.status = any (${statuses}::text[])
      union all
      select e.day, e.operator, e.type, e.status, e.transaction_count, e.amount_minor from (${edges}) e
    ) s where (${query.type}::text is null or s.type = ${query.type}) and s.operator = any (${operators}::text[]))`
}

/** The sums of what matches the query, per operator, type and status. */
export function selectOperatorSums(
  queryable: Queryable,
  applicationId: string,
  query: RollUpQuery,
  ranges: RollUpRanges,
): Promise<OperatorStatusSum[]> {
  const edges = edgesOf(applicationId, ranges, TRANSACTION_STATUSES, 'whole ranges')
  return runQuery<OperatorStatusSum>(
    queryable,
    sql`select operator, type, status, sum(transaction_count) as count, sum(amount_minor) as "amountMinor"
      from ${summed(applicationId, query, ranges, TRANSACTION_STATUSES, edges)} d group by operator, type, status`,
  )
}

export type PeriodSum = { period: string; currency: Currency; type: TransactionType; count: bigint; amountMinor: bigint }

const PERIOD_FORMATS: Readonly<Record<PeriodStep, string>> = { day: 'YYYY-MM-DD', month: 'YYYY-MM', year: 'YYYY' }

/** Collects and deposits with these statuses per day, month or year and currency, oldest first. By day the ranges have no months. */
export function selectPeriodSums(
  queryable: Queryable,
  applicationId: string,
  query: RollUpQuery,
  ranges: RollUpRanges,
  step: PeriodStep,
  statuses: readonly TransactionStatus[],
): Promise<PeriodSum[]> {
  const edges = edgesOf(applicationId, ranges, statuses, 'each day')
  const currencies = OPERATOR_CODES.map((code) => OPERATORS[code].country.currency)
  return runQuery<PeriodSum>(
    queryable,
    sql`select to_char(d.period, ${PERIOD_FORMATS[step]}) as period, c.currency, d.type, sum(d.count) as count,
        sum(d."amountMinor") as "amountMinor"
      from (select date_trunc(${step}, day)::date as period, operator, type, sum(transaction_count) as count, sum(amount_minor) as "amountMinor"
              from ${summed(applicationId, query, ranges, statuses, edges)} n group by 1, 2, 3) d
      join unnest(${OPERATOR_CODES}::text[], ${currencies}::text[]) as c (operator, currency) on c.operator = d.operator
      group by 1, 2, 3 having sum(d.count) > 0 order by 1`,
  )
}

/**
 * The first and last day on which the application has transactions; at the edge of a UTC day possibly one day more than there are.
 */
export async function selectDayBounds(
  queryable: Queryable,
  { applicationId, businessZone }: BusinessTime,
): Promise<{ first: UtcDay; last: UtcDay } | undefined> {
  const { rows } = await queryable.query<{ first: UtcDay | null; last: UtcDay | null }>(
    // Two descents of the key per status, instead of every day there is.
    `with b as materialized (
       select min(b.first) as first, max(b.last) as last from unnest($2::text[]) as s (status)
       cross join lateral (select
         (select day from transaction_days where application_id = $1 and status = s.status order by day limit 1) as first,
         (select day from transaction_days where application_id = $1 and status = s.status order by day desc limit 1) as last) b)
     select least(b.first, (select min(e.business_day) from unnest($2::text[]) as s (status) join transaction_day_edges e
                              on e.application_id = $1 and e.time_zone = $3 and e.status = s.status and e.day = b.first)) as first,
            greatest(b.last, (select max(e.business_day) from unnest($2::text[]) as s (status) join transaction_day_edges e
                              on e.application_id = $1 and e.time_zone = $3 and e.status = s.status and e.day = b.last)) as last
       from b`,
    [applicationId, TRANSACTION_STATUSES, businessZone],
  )
  const bounds = rows[0]
  return bounds?.first && bounds.last ? { first: bounds.first, last: bounds.last } : undefined
}

type OperatorDayCount = { operator: OperatorCode; day: UtcDay; count: bigint }

/** How many transactions succeeded per operator and day. */
export function selectOperatorDays(queryable: Queryable, applicationId: string, ranges: RollUpRanges): Promise<OperatorDayCount[]> {
  const edges = edgesOf(applicationId, ranges, ['SUCCESS'], 'each day')
  return runQuery<OperatorDayCount>(
    queryable,
    sql`select operator, day, sum(transaction_count) as count
      from ${summed(applicationId, { type: null, operators: [] }, ranges, ['SUCCESS'], edges)} d group by operator, day`,
  )
}

export type OutcomeDay = { operator: OperatorCode; type: TransactionType; status: TransactionStatus; day: UtcDay; count: bigint }

/** How many transactions have each status, per operator, direction and day. */
export function selectOutcomeDays(queryable: Queryable, applicationId: string, ranges: RollUpRanges): Promise<OutcomeDay[]> {
  const edges = edgesOf(applicationId, ranges, TRANSACTION_STATUSES, 'each day')
  return runQuery<OutcomeDay>(
    queryable,
    sql`select operator, type, status, day, sum(transaction_count) as count
      from ${summed(applicationId, { type: null, operators: [] }, ranges, TRANSACTION_STATUSES, edges)} d
      group by operator, type, status, day having sum(transaction_count) <> 0`,
  )
}
