import type { BusinessTime } from '#lib/business-days.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators.ts'
import { addDays, FIRST_DAY, LAST_DAY, monthEnd, type OpenRange, type UtcDay } from '#lib/time.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { daysOnly, edgesOf } from '#server/reports/transaction-search/roll-up-ranges-store.ts'
import type { RollUpQuery } from './roll-up-sums-store.ts'

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
        from transactions t
        where t.application_id = ${application.applicationId} and t.status = 'SUCCESS' and t.final_sequence > ${addedUntil} group by 1, 2, 3)
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

/** The applications with transactions whose fees are not in `fee_days` yet, those with few first. */
export async function selectApplicationsBehind(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join fee_marks m using (application_id)
      where c.success_count > coalesce(m.added_until, 0) order by c.success_count - coalesce(m.added_until, 0)`,
  )
  return rows.map((row) => row.applicationId)
}

/** Adds the fees of the next transactions; returns how many transactions were added. */
export async function addFees(queryable: Queryable, applicationId: string, countMax: number): Promise<bigint> {
  const { rows } = await queryable.query<{ added: bigint }>('select add_fee_days($1, $2) as added', [applicationId, countMax])
  return rows[0]?.added ?? 0n
}
