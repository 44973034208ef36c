import type { PeriodStep } from '#lib/finance/chart.ts'
import type { Currency } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_STATUSES, type TransactionStatus, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { addDays, FIRST_DAY, LAST_DAY, monthEnd, type OpenRange, type UtcDay } from '#lib/time/time.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { daysOnly, edgesOf, lateDays, type RollUpRanges } from '../transaction-search/day-counts-store.ts'

export type RollUpQuery = { from: UtcDay | null; to: UtcDay | null; type: TransactionType | null; operators: readonly OperatorCode[] }

export type OperatorStatusSum = {
  operator: OperatorCode
  type: TransactionType
  status: TransactionStatus
  count: bigint
  amountMinor: bigint
}

/** The sums of some ranges with these statuses by day, from days, sealed months and the edges of the zone: the parts of a query that the roll-ups know. */
export function summed(
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
      ${lateDays(applicationId, ranges, statuses)}
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
     select least(b.first, l.first, (select min(e.business_day) from unnest($2::text[]) as s (status) join transaction_day_edges e
                              on e.application_id = $1 and e.time_zone = $3 and e.status = s.status and e.day = b.first)) as first,
            greatest(b.last, l.last, (select max(e.business_day) from unnest($2::text[]) as s (status) join transaction_day_edges e
                              on e.application_id = $1 and e.time_zone = $3 and e.status = s.status and e.day = b.last)) as last
       from b, (select min(day) as first, max(day) as last from late_transaction_days($1)) l`,
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

/** The applications of which transaction_days lacks more than `leftMax` beginnings and ends of transactions, those with little first. */
export async function selectUncounted(queryable: Queryable, leftMax: number): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join transaction_day_marks m using (application_id)
      cross join lateral (select c.transaction_count - coalesce(m.created_until, 0) + c.success_count - coalesce(m.success_until, 0)
        + c.failed_count - coalesce(m.failed_until, 0)) n (count)
      where n.count > $1 order by n.count`,
    [leftMax],
  )
  return rows.map((row) => row.applicationId)
}

/** Adds the next transactions to the days; returns how many were added. */
export async function addTransactions(queryable: Queryable, applicationId: string, countMax: number): Promise<bigint> {
  const { rows } = await queryable.query<{ added: bigint }>('select add_transaction_days($1, $2) as added', [applicationId, countMax])
  return rows[0]?.added ?? 0n
}

/** Seals the days of every application on which nothing can change any longer. */
export async function sealDays(queryable: Queryable): Promise<void> {
  await queryable.query('select seal_transaction_days()')
}

/** Seals the months of which every day is sealed. */
export async function sealMonths(queryable: Queryable): Promise<void> {
  await queryable.query('select seal_operator_months()')
}

/** Applications whose days could be sealed but are not: their amounts cannot be added up. */
export async function selectUnsealed(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join application_seals s on s.application_id = c.application_id
       where s.application_id is null or s.sealed_through < (now() at time zone 'UTC')::date - 2`,
  )
  return rows.map((row) => row.applicationId)
}

export type FeeSum = { operator: OperatorCode; type: TransactionType; feeSystemMinor: bigint; feeAppMinor: bigint }

/** Up to which final sequence an application's fees are in `fee_days`, and how many succeeded transactions come after it. */
type FeeMark = { addedUntil: bigint; behind: bigint }

export async function findFeeMark(snapshot: Queryable, applicationId: string): Promise<FeeMark> {
  const { rows } = await snapshot.query<FeeMark>({
    name: 'find_fee_mark_and_rest',
    text: `select coalesce(m.added_until, 0) as "addedUntil", c.success_count - coalesce(m.added_until, 0) as behind
             from application_counters c left join fee_marks m using (application_id) where c.application_id = $1`,
    values: [applicationId],
  })
  return rows[0] ?? { addedUntil: 0n, behind: 0n }
}

/**
 * The fees of what succeeded, per range, operator and type: by UTC month and day up to the mark, transaction by transaction after it, and the
 * edges of the zone. Mark and sums have to come from one snapshot. The transactions after the mark are read once for all ranges.
 */
export async function selectFeeSums(
  snapshot: Queryable,
  application: BusinessTime,
  { type, operators }: RollUpQuery,
  ranges: readonly OpenRange[],
  addedUntil: bigint,
): Promise<FeeSum[][]> {
  const parts = ranges.map((range, place) => sql`select ${place}::integer as place, f.* from (${feesOf(application, range)}) f`)
  const rows = await runQuery<FeeSum & { place: number }>(
    snapshot,
    sql`with late as materialized (
      select (t.created_at at time zone 'UTC')::date as day, t.operator, t.type, sum(t.fee_system_minor) as fee_system_minor,
             sum(t.fee_app_minor) as fee_app_minor
        from final_transactions t
        where t.application_id = ${application.applicationId} and t.to_status = 'SUCCESS' and t.final_sequence > ${addedUntil} group by 1, 2, 3)
     select place, operator, type, sum(fee_system_minor) as "feeSystemMinor", sum(fee_app_minor) as "feeAppMinor"
       from (${sql.join(parts, sql.raw(' union all '))}) fees
     where (${type}::text is null or type = ${type}) and operator = any (${operators.length > 0 ? operators : OPERATOR_CODES}::text[])
     group by place, operator, type`,
  )
  return ranges.map((_, place) => rows.filter((row) => row.place === place))
}

/** The fees of one range, from `fee_months`, `fee_days`, the transactions in `late`, and the edges of the zone. */
function feesOf({ applicationId, businessZone }: BusinessTime, { from, to }: OpenRange): Sql {
  const [first, last] = [from ?? FIRST_DAY, to ?? LAST_DAY]
  const { fromMonth, toMonth, fromDays, toDays } = wholeMonths(first, last)
  return sql`
    select m.operator, m.type, m.fee_system_minor, m.fee_app_minor from fee_months m
      where m.application_id = ${applicationId} and m.month between ${fromMonth}::date and ${toMonth}::date
    union all
    select f.operator, f.type, f.fee_system_minor, f.fee_app_minor
      from unnest(${fromDays}::date[], ${toDays}::date[]) as g (from_day, to_day)
      cross join lateral (select * from fee_days d
        where d.application_id = ${applicationId} and d.day between g.from_day and g.to_day offset 0) f
    union all
    select l.operator, l.type, l.fee_system_minor, l.fee_app_minor from late l where l.day between ${first}::date and ${last}::date
    union all
    select e.operator, e.type, e.fee_system_minor, e.fee_app_minor
      from (${edgesOf(applicationId, daysOnly(businessZone, { from, to }), ['SUCCESS'], 'whole ranges')}) e`
}

/** The whole months of a range, which are none if the first is after the last, and the days before and after them. */
function wholeMonths(first: UtcDay, last: UtcDay): { fromMonth: UtcDay; toMonth: UtcDay; fromDays: UtcDay[]; toDays: UtcDay[] } {
  const fromMonth = first.endsWith('-01') ? first : addDays(monthEnd(first), 1)
  const end = last === monthEnd(last) ? last : addDays(monthStart(last), -1)
  if (fromMonth > end) return { fromMonth, toMonth: FIRST_DAY, fromDays: [first], toDays: [last] }
  return { fromMonth, toMonth: monthStart(end), fromDays: [first, addDays(end, 1)], toDays: [addDays(fromMonth, -1), last] }
}

function monthStart(day: UtcDay): UtcDay {
  return `${day.slice(0, 7)}-01`
}

/** The applications with more than `leftMax` transactions whose fees are not in `fee_days` yet, those with few first. */
export async function selectApplicationsBehind(queryable: Queryable, leftMax: number): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join fee_marks m using (application_id)
      where c.success_count - coalesce(m.added_until, 0) > $1 order by c.success_count - coalesce(m.added_until, 0)`,
    [leftMax],
  )
  return rows.map((row) => row.applicationId)
}

/** Adds the fees of the next transactions; returns how many transactions were added. */
export async function addFees(queryable: Queryable, applicationId: string, countMax: number): Promise<bigint> {
  const { rows } = await queryable.query<{ added: bigint }>('select add_fee_days($1, $2) as added', [applicationId, countMax])
  return rows[0]?.added ?? 0n
}
