import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

/**
 * Makes rows due that are scheduled further ahead than any schedule reaches: the clock of the database was set back, or had
 * run ahead for a while. Returns how many.
 */
export async function rescheduleFarWork(queryable: Queryable, operators: OperatorCode[], aheadMsMax: number): Promise<number> {
  const { rowCount } = await queryable.query({
    name: 'reschedule_far_operator_work',
    text: `update operator_work w set next_at = clock_timestamp(), claimed_until = least(w.claimed_until, clock_timestamp())
             from (select o.application_id, o.transaction_id from operator_work o
                     where o.operator = any ($1) and o.state <> 'paused'
                       and greatest(o.next_at, o.claimed_until) > clock_timestamp() + $2 * interval '1 millisecond'
                     order by o.application_id, o.transaction_id limit 10000 for update skip locked) far
             where w.application_id = far.application_id and w.transaction_id = far.transaction_id`,
    values: [operators, aheadMsMax],
  })
  return rowCount ?? 0
}

/**
 * Makes the next query about these transactions due, if the operator may have them and is not being queried; its own pause after a submission stays.
 * Rows that another statement is changing are left out. Returns how many.
 */
export async function makeQueriesDue(
  queryable: Queryable,
  items: readonly { applicationId: string; transactionId: string }[],
): Promise<number> {
  const { rowCount } = await queryable.query({
    name: 'make_queries_due',
    text: `update operator_work w set next_at = greatest(clock_timestamp(), w.enquire_at)
             from (select o.application_id, o.transaction_id from unnest($1::uuid[], $2::uuid[]) as i (application_id, transaction_id)
                     cross join lateral (select o.* from operator_work o
                       where o.application_id = i.application_id and o.transaction_id = i.transaction_id
                         and o.state in ('submitted', 'unconfirmed') and not o.is_claimed and o.next_at > clock_timestamp()
                       for update skip locked) o) due
            where w.application_id = due.application_id and w.transaction_id = due.transaction_id`,
    values: [items.map(({ applicationId }) => applicationId), items.map(({ transactionId }) => transactionId)],
  })
  return rowCount ?? 0
}
