import type { BusinessTime } from '#lib/business-days.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { UtcDay } from '#lib/time.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

type Direction = { operator: OperatorCode; type: TransactionType }

/** `day` null: all days together. */
export type ResponseRow = Direction & { day: UtcDay | null; count: number; unknown: number; medianMs: number | null; slowMs: number | null }

/**
 * The submissions of the newest `sampleSize` transactions since a day, per direction and day. Bounded by the gap-free sequence: attempts have
 * no order of time to be read by.
 */
export async function selectResponses(
  queryable: Queryable,
  { applicationId, businessZone }: BusinessTime,
  { fromDay, sampleSize }: { fromDay: UtcDay; sampleSize: number },
): Promise<ResponseRow[]> {
  const { rows } = await queryable.query<ResponseRow>(
    `with recent as materialized (
       select t.transaction_id, t.operator, t.type from transactions t
         where t.application_id = $1 and t.created_at >= $2::date::timestamp at time zone $3
           and t.sequence > coalesce((select c.transaction_count from application_counters c where c.application_id = $1), 0) - $4::bigint
     ), submission as materialized (
       select r.operator, r.type, to_char(a.started_at at time zone $3, 'YYYY-MM-DD') as day, a.outcome = 'unknown' as is_unknown,
              extract(epoch from a.finished_at - a.started_at) * 1000 as duration_ms
         from recent r join operator_attempts a on a.application_id = $1 and a.transaction_id = r.transaction_id
         where a.kind = 'submit' and a.finished_at is not null and a.outcome is not null
           and a.started_at >= $2::date::timestamp at time zone $3
     )
     select s.operator, s.type, s.day, count(*)::integer as count, (count(*) filter (where s.is_unknown))::integer as unknown,
            round(percentile_disc(0.5) within group (order by s.duration_ms) filter (where not s.is_unknown))::integer as "medianMs",
            round(percentile_disc(0.95) within group (order by s.duration_ms) filter (where not s.is_unknown))::integer as "slowMs"
       from submission s group by grouping sets ((s.operator, s.type), (s.operator, s.type, s.day))`,
    [applicationId, fromDay, businessZone, sampleSize],
  )
  return rows
}

/** How many transactions have an unknown outcome now, per direction. */
export async function countUnconfirmed(queryable: Queryable, applicationId: string): Promise<(Direction & { count: number })[]> {
  const { rows } = await queryable.query<Direction & { count: number }>(
    `select operator, type, count(*)::integer as count from operator_work
      where application_id = $1 and unconfirmed_since is not null group by operator, type`,
    [applicationId],
  )
  return rows
}
