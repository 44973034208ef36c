import type { OperatorCode } from '#lib/operators.ts'
import type { UtcDay } from '#lib/time.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

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

/** Submitted transactions without a result: `at` null if nothing was submitted yet. */
export type OpenRow = { type: TransactionType; at: Date | null; count: number; unconfirmed: number }

/** The open transactions of one operator by the hour of their first submission. */
export async function selectOpen(queryable: Queryable, { applicationId, operator }: About): Promise<OpenRow[]> {
  const { rows } = await queryable.query<OpenRow>(
    `select w.type, date_trunc('hour', s.started_at, 'UTC') as at, count(*)::integer as count,
            (count(*) filter (where w.unconfirmed_since is not null))::integer as unconfirmed
       from operator_work w
       cross join lateral (
         select min(a.started_at) as started_at from operator_attempts a
           where a.application_id = w.application_id and a.transaction_id = w.transaction_id and a.kind = 'submit'
       ) s
      where w.application_id = $1 and w.operator = $2 group by 1, 2`,
    [applicationId, operator],
  )
  return rows
}
