import type { Currency } from '#lib/money/money.ts'
import { IS_BATCH_ROW } from '#server/approvals/may-decide.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'

export type LeftItemRow = {
  kind: 'transaction' | 'batch'
  id: string
  name: string
  amountMinor: bigint
  currency: Currency
  rowCount: number
  createdAt: Date
  expiresAt: Date
  needed: number
  others: number
  total: number
}

/**
 * The waiting items that have enough checkers with a person and too few without, oldest first. Everybody approves an item once, so it can
 * be approved if as many active checkers as it needs neither prepared it nor have a password of the program that started it; approvals of a
 * checker who leaves stop counting. `total`: how many there are. A batch needs what its strictest row needs.
 */
export function selectLeftItems(queryable: Queryable, applicationId: string, personId: string, limit: number): Promise<LeftItemRow[]> {
  const joined: Sql = sql`transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id`
  const waits: Sql = sql`t.application_id = ${applicationId} and t.is_waiting and i.expires_at > statement_timestamp()`
  return runQuery<LeftItemRow>(
    queryable,
    sql`with checker as materialized (
      select m.person_id from memberships m join people p on p.person_id = m.person_id
        where m.application_id = ${applicationId} and m.is_active and 'checker' = any (m.roles) and not p.is_blocked
    ), counted as (
      select count(*) filter (where person_id <> ${personId})::integer as others, count(*)::integer as everybody from checker
    ), item as (
      select 'transaction' as kind, t.transaction_id as id, t.customer_name as name, t.amount_minor, t.currency, 1 as row_count,
        array_append(coalesce((select u.password_holders from api_users u
          where u.application_id = t.application_id and u.api_user_id = t.api_user_id), '{}'), t.maker_id) as makers,
        t.created_at, i.expires_at, (select sum(step) from unnest(i.steps) as step)::integer as needed
      from ${joined} where ${waits} and not ${IS_BATCH_ROW}
      union all
      select 'batch', t.batch_id, coalesce(min(b.name), ''), sum(t.amount_minor), t.currency, count(*)::integer,
        array_append(coalesce(b.prepared_by, '{}') || coalesce((select u.password_holders from api_users u
          where u.application_id = ${applicationId} and u.api_user_id = t.api_user_id), '{}'), t.maker_id), min(t.created_at), min(i.expires_at), max((select sum(step) from unnest(i.steps) as step))::integer
      from ${joined} left join batches b on b.application_id = t.application_id and b.batch_id = t.batch_id
      where ${waits} and ${IS_BATCH_ROW} group by t.batch_id, t.currency, t.maker_id, t.api_user_id, b.prepared_by
    ), placed as (
      select item.*, c.others - made.others as left_over, c.everybody - made.everybody as present
      from item cross join counted c
        cross join lateral (select count(*) filter (where person_id <> ${personId})::integer as others, count(*)::integer as everybody
          from checker where person_id = any (item.makers)) made
    )
    select kind, id, name, amount_minor::bigint as "amountMinor", currency, row_count as "rowCount", created_at as "createdAt",
      expires_at as "expiresAt", needed, left_over as others, count(*) over ()::integer as total
    from placed where left_over < needed and present >= needed order by created_at, id, currency limit ${limit}`,
  )
}

type OpenChangeRow = { changeId: string; kind: string; subject: string; proposedBy: string; expiresAt: Date }

/** The changes that wait in an application, oldest first. */
export async function selectOpenChanges(queryable: Queryable, applicationId: string): Promise<OpenChangeRow[]> {
  const { rows } = await queryable.query<OpenChangeRow>(
    `select change_id as "changeId", kind, subject, proposed_by as "proposedBy", expires_at as "expiresAt" from proposed_changes
      where application_id = $1 and outcome is null and expires_at > now() order by proposed_at, change_id limit 200`,
    [applicationId],
  )
  return rows
}

/** How many payments and batches a person has started and not sent. */
export async function countDrafts(
  queryable: Queryable,
  applicationId: string,
  personId: string,
): Promise<{ draftCount: number; batchDraftCount: number }> {
  const { rows } = await queryable.query<{ draftCount: number; batchDraftCount: number }>(
    `select (select count(*)::integer from payment_drafts where application_id = $1 and person_id = $2) as "draftCount",
            (select count(*)::integer from batches where application_id = $1 and maker_id = $2 and state in ('checking', 'draft')) as "batchDraftCount"`,
    [applicationId, personId],
  )
  return rows[0] ?? { draftCount: 0, batchDraftCount: 0 }
}
