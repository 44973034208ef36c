import type { Currency } from '#lib/money/money.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { WAITING_BATCHES } from '../batch-store.ts'
import { DECISION_COUNTS, IS_BATCH_ROW, mayDecide } from '../may-decide.ts'

/** Waiting transactions that the same people may decide on: of one maker or program, with the same needs, approved by the same people so far. */
export type WaitingKind = {
  makerId: string | null
  makerName: string | null
  /** Only for rows of a batch from a file. */
  batchId: string | null
  batchName: string | null
  steps: number[]
  needsCode: boolean
  currency: Currency
  count: number
  amountMinor: bigint
  oldestAt: Date
  expiresAt: Date
  /** The oldest ones; a person who may decide on the first may decide on all. */
  transactionIds: string[]
}

/**
 * Everything that waits and has not expired. A batch whose rows are still being started does not wait for a decision yet, and is left out.
 */
export function groupWaitingKinds(queryable: Queryable, applicationId: string): Promise<WaitingKind[]> {
  const columns = sql`t.transaction_id, t.sequence, t.maker_id, t.currency, t.amount_minor, t.created_at, i.steps, i.needs_code, i.expires_at,
    (select string_agg(concat_ws('/', d.checker_id, d.on_behalf_of), ' ' order by d.checker_id) from approval_decisions d
      where d.application_id = t.application_id and d.transaction_id = t.transaction_id) as voters,
    case when exists (select 1 from api_users u where u.application_id = ${applicationId} and cardinality(u.password_holders) > 0) then t.api_user_id end as starter`
  const rows = sql`transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    where t.application_id = ${applicationId} and t.is_waiting and i.expires_at > statement_timestamp()`
  return runQuery<WaitingKind>(
    queryable,
    sql`${WAITING_BATCHES(applicationId)}, started_batch as materialized (
      select w.batch_id from waiting w left join batches b on b.application_id = ${applicationId} and b.batch_id = w.batch_id
      where w.batch_id is not null and b.state is distinct from 'submitting'
    ), waiting_row as materialized (
      select ${columns}, null::uuid as batch_id from ${rows} and not ${IS_BATCH_ROW}
      union all
      -- offset 0: only the rows of these batches are read.
      select r.* from started_batch s
        cross join lateral (select ${columns}, t.batch_id from ${rows} and t.batch_id = s.batch_id offset 0) r
    )
    select g.*, m.name as "makerName", b.name as "batchName" from (
      select w.maker_id as "makerId", w.batch_id as "batchId", w.steps, w.needs_code as "needsCode", w.currency, w.voters, w.starter,
        count(*)::integer as count, sum(w.amount_minor) as "amountMinor", min(w.created_at) as "oldestAt", min(w.expires_at) as "expiresAt",
        (array_agg(w.transaction_id order by w.sequence))[1:3] as "transactionIds"
      from waiting_row w group by 1, 2, 3, 4, 5, 6, 7) g
    left join people m on m.person_id = g."makerId"
    left join batches b on b.application_id = ${applicationId} and b.batch_id = g."batchId"
    order by g."oldestAt"`,
  )
}

/** The requirements of all rows of these batches, including rows that no longer wait. */
export function selectBatchNeeds(
  queryable: Queryable,
  applicationId: string,
  batchIds: readonly string[],
): Promise<{ batchId: string; steps: number[]; needsCode: boolean }[]> {
  return runQuery(
    queryable,
    sql`select distinct t.batch_id as "batchId", i.steps, i.needs_code as "needsCode"
    from transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    where t.application_id = ${applicationId} and t.batch_id = any (${batchIds}::uuid[])`,
  )
}

export type Decider = { name: string; hasSecondFactor: boolean }

/** The people who may decide on each of these transactions now, by the rule of may-decide.ts, and how many approvals of it count. */
export function selectDecidersOf(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): Promise<{ transactionId: string; given: number; deciders: Decider[] }[]> {
  return runQuery(
    queryable,
    sql`with checker as materialized (
      select m.person_id, p.name, has_second_factor(p.person_id) as has_second_factor
      from memberships m join people p on p.person_id = m.person_id where m.application_id = ${applicationId}
        and ('checker' = any (m.roles) or is_checker(m.application_id, m.person_id))
    )
    select t.transaction_id as "transactionId",
      (select count(*)::integer from approval_decisions d where d.application_id = t.application_id and d.transaction_id = t.transaction_id
        and d.decision = 'validated' and ${sql.raw(DECISION_COUNTS)}) as given,
      coalesce((select json_agg(json_build_object('name', c.name, 'hasSecondFactor', c.has_second_factor) order by c.name, c.person_id)
        from checker c where ${mayDecide(sql`t.application_id`, sql`c.person_id`)}), '[]') as deciders
    from transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    where t.application_id = ${applicationId} and t.transaction_id = any (${transactionIds}::uuid[])`,
  )
}

/** Checkers who are blocked or whose membership has ended, by name. */
export async function selectLostCheckers(queryable: Queryable, applicationId: string): Promise<{ personId: string; name: string }[]> {
  const { rows } = await queryable.query<{ personId: string; name: string }>(
    `select p.person_id as "personId", p.name from memberships m join people p on p.person_id = m.person_id
     where m.application_id = $1 and 'checker' = any (m.roles) and (p.is_blocked or not m.is_active) order by p.name, p.person_id`,
    [applicationId],
  )
  return rows
}

/** Which of these people are makers of an application now. */
export async function selectPresentMakers(queryable: Queryable, applicationId: string): Promise<Set<string>> {
  const { rows } = await queryable.query<{ id: string }>(
    `select m.person_id as id from memberships m join people p on p.person_id = m.person_id
     where m.application_id = $1 and m.is_active and not p.is_blocked and 'maker' = any (m.roles)`,
    [applicationId],
  )
  return new Set(rows.map(({ id }) => id))
}
