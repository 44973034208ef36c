import type { Queryable, TrxClient } from '#server/database/pool.ts'

/**
 * Makes all open work due, and whatever would be sent without a query unconfirmed. Denials that were counted before do not count, because the
 * transfer may have been sent again after them. Returns how many rows would have been sent, and how many are open.
 */
export async function makeAllUnconfirmed(trx: TrxClient): Promise<{ unsent: number; open: number }> {
  const { rows } = await trx.query<{ unsent: number; open: number }>(
    `with asked as (
       update operator_work
         set state = case when state in ('queued', 'paused', 'awaiting_code') then 'unconfirmed' else state end,
             next_at = clock_timestamp(), absent_since = null, is_claimed = false, claimed_until = null, enquire_at = null,
             unconfirmed_since = case when state in ('queued', 'paused', 'awaiting_code') then coalesce(unconfirmed_since, clock_timestamp())
                                      else unconfirmed_since end
         where state <> 'unfunded'
         returning old.state)
     select count(*) filter (where state in ('queued', 'paused', 'awaiting_code'))::integer as unsent, count(*)::integer as open from asked`,
  )
  return rows[0] ?? { unsent: 0, open: 0 }
}

/** Work of a transaction whose id is before this one begins as unconfirmed from now on. The rows of newer ones cost nothing. */
export async function askFirstBefore(trx: TrxClient, transactionId: string): Promise<void> {
  const { rows } = await trx.query<{ literal: string }>('select quote_literal($1::uuid::text) as literal', [transactionId])
  await trx.query(
    `create or replace trigger ask_after_restore before insert on operator_work for each row
       when (new.state in ('queued', 'paused') and new.transaction_id < ${rows[0]?.literal}) execute function ask_before_first_submission()`,
  )
}

/** The processes of the service that are connected to this database. */
export async function countServiceSessions(queryable: Queryable): Promise<number> {
  const { rows } = await queryable.query<{ sessions: number }>(
    `select count(*)::integer as sessions from pg_stat_activity
       where datname = current_database() and application_name in ('countersign all', 'countersign web', 'countersign worker')`,
  )
  return rows[0]?.sessions ?? 0
}
