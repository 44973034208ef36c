import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import type { UtcDay } from '#lib/time/time.ts'
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
         from recent r join all_operator_attempts a on a.application_id = $1 and a.transaction_id = r.transaction_id
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

/** The applications with final transactions that are not added up yet. */
export async function selectApplicationsBehind(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join operator_outcome_marks m using (application_id)
      where c.success_count > coalesce(m.success_until, 0) or c.failed_count > coalesce(m.failed_until, 0)`,
  )
  return rows.map((row) => row.applicationId)
}

type Slice = { applicationId: string; countMax: number; since: Date; causes: readonly (readonly [cause: string, message: string])[] }

/** Adds the next transactions; returns how many it went through. */
export async function addOutcomes(queryable: Queryable, { applicationId, countMax, since, causes }: Slice): Promise<bigint> {
  const { rows } = await queryable.query<{ count: bigint }>('select add_operator_outcomes($1, $2, $3, $4, $5) as count', [
    applicationId,
    countMax,
    since,
    causes.map(([, message]) => message),
    causes.map(([cause]) => cause),
  ])
  return rows[0]?.count ?? 0n
}

/** Removes what is older than the pages look back. */
export async function removeOutcomesBefore(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query('delete from operator_outcomes where hour < $1', [before])
  await queryable.query('delete from operator_flows where hour < $1', [before])
}

type About = { applicationId: string; operator: OperatorCode }
/** `slot`: an hour as an instant, or a business day. */
export type OutcomeRow = { type: TransactionType; slot: string; outcome: string; bucket: number; count: number }

/** The sums of one operator by hour. */
export async function selectHours(queryable: Queryable, { applicationId, operator }: About, since: Date): Promise<OutcomeRow[]> {
  const { rows } = await queryable.query<OutcomeRow>(
    `select type, to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as slot, outcome, bucket, transaction_count::float8 as count
       from operator_outcomes where application_id = $1 and operator = $2 and hour >= $3`,
    [applicationId, operator, since],
  )
  return rows
}

/** The sums of one operator by business day. An hour belongs to the day in which it begins. */
export async function selectDays(
  queryable: Queryable,
  { applicationId, operator, businessZone }: About & { businessZone: string },
  fromDay: UtcDay,
): Promise<OutcomeRow[]> {
  const { rows } = await queryable.query<OutcomeRow>(
    `select type, to_char(hour at time zone $4, 'YYYY-MM-DD') as slot, outcome, bucket, sum(transaction_count)::float8 as count
       from operator_outcomes where application_id = $1 and operator = $2 and hour >= $3::date::timestamp at time zone $4
      group by 1, 2, 3, 4`,
    [applicationId, operator, fromDay, businessZone],
  )
  return rows
}

type AnswerTimeRow = Direction & Pick<OutcomeRow, 'bucket' | 'count'>

/** The times from the first submission to the result since an instant, by direction. */
export async function selectAnswerTimes(queryable: Queryable, applicationId: string, since: Date): Promise<AnswerTimeRow[]> {
  const { rows } = await queryable.query<AnswerTimeRow>(
    `select operator, type, bucket, sum(transaction_count)::float8 as count from operator_outcomes
      where application_id = $1 and hour >= $2 group by 1, 2, 3`,
    [applicationId, since],
  )
  return rows
}

/** Submitted transactions without a result: `at` null if nothing was submitted yet. */
export type OpenRow = { type: TransactionType; at: Date | null; count: number; unconfirmed: number }

/** The open transactions of one operator by the hour of their first submission. */
export async function selectOpen(queryable: Queryable, { applicationId, operator }: About): Promise<OpenRow[]> {
  const { rows } = await queryable.query<OpenRow>(
    `select w.type, date_trunc('hour', s.started_at, 'UTC') as at, count(*)::integer as count,
            (count(*) filter (where w.unconfirmed_since is not null))::integer as unconfirmed
       from operator_work w
       cross join lateral (
         select min(a.started_at) as started_at from all_operator_attempts a
           where a.application_id = w.application_id and a.transaction_id = w.transaction_id and a.kind = 'submit'
       ) s
      where w.application_id = $1 and w.operator = $2 group by 1, 2`,
    [applicationId, operator],
  )
  return rows
}
