import type { PeriodStep } from '#lib/chart-periods.ts'
import type { Currency } from '#lib/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators.ts'
import type { UtcDay } from '#lib/time.ts'
import { TRANSACTION_STATUSES, type TransactionStatus, type TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { RollUpRanges } from '#server/reports/transaction-search/roll-up-ranges-store.ts'

export type RollUpQuery = { from: UtcDay | null; to: UtcDay | null; type: TransactionType | null; operators: readonly OperatorCode[] }

export type OperatorStatusSum = {
  operator: OperatorCode
  type: TransactionType
  status: TransactionStatus
  count: bigint
  amountMinor: bigint
}

/**
 * $1 application, $2 and $3 ranges of days, $4 sealed months, $5 type or null, $6 operators, $7 statuses. `offset 0` keeps the planner at
 * one descent of the key per range and status: otherwise it reads ten years of days to find the last month.
 */
const SUMMED = `(
  select d.day, d.operator, d.type, d.status, d.transaction_count, d.amount_minor
    from unnest($2::date[], $3::date[]) as g (from_day, to_day)
    cross join unnest($7::text[]) as s (status)
    cross join lateral (
      select n.day, n.operator, n.type, n.status, n.transaction_count, n.amount_minor from transaction_days n
        where n.application_id = $1 and n.status = s.status and n.day between g.from_day and g.to_day
          and ($5::text is null or n.type = $5) and n.operator = any ($6::text[]) offset 0) d
  union all
  select m.month, m.operator, m.type, m.status, m.transaction_count, m.amount_minor from sealed_operator_months m
    where m.application_id = $1 and m.month = any ($4::date[]) and ($5::text is null or m.type = $5)
      and m.operator = any ($6::text[]) and m.status = any ($7::text[]))`

function valuesOf(applicationId: string, query: RollUpQuery, ranges: RollUpRanges, statuses: readonly TransactionStatus[]): unknown[] {
  const operators = query.operators.length > 0 ? query.operators : OPERATOR_CODES
  return [applicationId, ranges.fromDays, ranges.toDays, ranges.months, query.type, operators, statuses]
}

/** The sums of what matches the query, per operator, type and status. */
export async function selectOperatorSums(
  queryable: Queryable,
  applicationId: string,
  query: RollUpQuery,
  ranges: RollUpRanges,
): Promise<OperatorStatusSum[]> {
  const { rows } = await queryable.query<OperatorStatusSum>(
    `select operator, type, status, sum(transaction_count) as count, sum(amount_minor) as "amountMinor" from ${SUMMED} d
     group by operator, type, status`,
    valuesOf(applicationId, query, ranges, TRANSACTION_STATUSES),
  )
  return rows
}

export type PeriodSum = { period: string; currency: Currency; type: TransactionType; count: bigint; amountMinor: bigint }

const PERIOD_FORMATS: Readonly<Record<PeriodStep, string>> = { day: 'YYYY-MM-DD', month: 'YYYY-MM', year: 'YYYY' }

/** Collects and deposits with these statuses per day, month or year and currency, oldest first. By day the ranges have no months. */
export async function selectPeriodSums(
  queryable: Queryable,
  applicationId: string,
  query: RollUpQuery,
  ranges: RollUpRanges,
  step: PeriodStep,
  statuses: readonly TransactionStatus[],
): Promise<PeriodSum[]> {
  const { rows } = await queryable.query<PeriodSum>(
    `select to_char(d.period, $8) as period, c.currency, d.type, sum(d.count) as count, sum(d."amountMinor") as "amountMinor"
     from (select date_trunc($9, day)::date as period, operator, type, sum(transaction_count) as count, sum(amount_minor) as "amountMinor"
             from ${SUMMED} n group by 1, 2, 3) d
     join unnest($10::text[], $11::text[]) as c (operator, currency) on c.operator = d.operator
     group by 1, 2, 3 order by 1`,
    [
      ...valuesOf(applicationId, query, ranges, statuses),
      PERIOD_FORMATS[step],
      step,
      OPERATOR_CODES,
      OPERATOR_CODES.map((code) => OPERATORS[code].country.currency),
    ],
  )
  return rows
}

/** The first and last day on which the application has transactions. */
export async function selectDayBounds(queryable: Queryable, applicationId: string): Promise<{ first: UtcDay; last: UtcDay } | undefined> {
  const { rows } = await queryable.query<{ first: UtcDay | null; last: UtcDay | null }>(
    // Two descents of the key per status, instead of every day there is.
    `select min(b.first) as first, max(b.last) as last from unnest($2::text[]) as s (status)
     cross join lateral (select
       (select day from transaction_days where application_id = $1 and status = s.status order by day limit 1) as first,
       (select day from transaction_days where application_id = $1 and status = s.status order by day desc limit 1) as last) b`,
    [applicationId, TRANSACTION_STATUSES],
  )
  const bounds = rows[0]
  return bounds?.first && bounds.last ? { first: bounds.first, last: bounds.last } : undefined
}

type OperatorDayCount = { operator: OperatorCode; day: UtcDay; count: bigint }

/** How many transactions succeeded per operator and day. */
export async function selectOperatorDays(
  queryable: Queryable,
  applicationId: string,
  from: UtcDay,
  to: UtcDay,
): Promise<OperatorDayCount[]> {
  const { rows } = await queryable.query<OperatorDayCount>(
    `select operator, day, sum(transaction_count) as count from transaction_days
     where application_id = $1 and status = 'SUCCESS' and day between $2::date and $3::date group by operator, day`,
    [applicationId, from, to],
  )
  return rows
}
