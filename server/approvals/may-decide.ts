import { type Sql, sql } from '#server/database/compose-sql.ts'

/**
 * The rules of who may decide, as SQL over a transaction `t` and its approval item `i`. Every reader and the command itself use these
 * fragments, so that a queue, a badge, a button and a decision never disagree. `may-decide.test.ts` compares all of them.
 */

/**
 * Why a person may not decide on the transaction `t` now: null, or the first reason. Persons before states: a person who may never
 * decide does not learn the state. `t` without an item `i` never waited. The result is a DecisionObstacle.
 *
 * The person who submits a batch is the maker of its rows. Everybody else who uploaded or changed it is treated as a maker too: otherwise one person
 * could upload a file, have a colleague submit it, and approve it. A person who ever received a password of the API user that started `t` is
 * refused too: they may have sent the request themselves. A deputy decides where the absent checker could, and once in the place of each.
 * @param application The application of `t`. As a parameter, the role and the prepared batches are looked up once for each statement and
 * not for each row.
 */
export function decisionObstacle(application: Sql, person: Sql): Sql {
  return sql`case
    when not (select is_checker(${application}, ${person})) then 'not_a_checker'
    when t.maker_id = ${person} or t.batch_id in (select b.batch_id from batches b where b.application_id = ${application}
      and cardinality(b.prepared_by) > 1 and ${person} = any (b.prepared_by)) then 'is_maker'
    when t.api_user_id in (select u.api_user_id from api_users u
      where u.application_id = ${application} and ${person} = any (u.password_holders)) then 'has_password'
    when t.status <> 'PENDING_APPROVAL' then 'not_waiting'
    when i.expires_at <= statement_timestamp() then 'expired'
    when exists (select 1 from approval_decisions d where d.application_id = t.application_id and d.transaction_id = t.transaction_id
      and ${person} in (d.checker_id, d.on_behalf_of)) then 'decided_already'
    when (select not is_own_checker(${application}, ${person})) and deputy_for(t.application_id, ${person}, t.transaction_id) is null
      then 'deputy_may_not' end`
}

/** Whether a person may decide on the transaction `t` now. */
export function mayDecide(application: Sql, person: Sql): Sql {
  return sql`(${decisionObstacle(application, person)}) is null`
}

/** Why nobody may approve the transaction `t` now, although it may be rejected: null, or a TermsObstacle. */
export const TERMS_OBSTACLE: Sql = sql`case
  when not (select a.is_enabled from applications a where a.application_id = t.application_id) then 'application_disabled'
  when not coalesce((select s.is_enabled from transfer_services s
    where s.application_id = t.application_id and s.operator = t.operator and s.type = t.type), true) then 'service_disabled' end`

/** The same for a transaction outside batches: a refund waits for nothing but a collect of which nobody doubts that it was paid. */
export const SINGLE_OBSTACLE: Sql = sql`coalesce(${TERMS_OBSTACLE}, (select 'collect_doubted' from transaction_refunds f
  where f.application_id = t.application_id and f.transaction_id = t.transaction_id and refund_obstacle(f.application_id, f.collect_id) is not null))`

/** Whether the decision `d` on the transaction `t` counts: while `t` waits, only if its author may still approve. */
export const DECISION_COUNTS = `(t.status <> 'PENDING_APPROVAL' or may_approve_now(d.application_id, d.checker_id, t.maker_id, d.on_behalf_of))`

/** Whether the transaction `t` is a row of a batch: people decide on the batch as one item, not on its rows. */
export const IS_BATCH_ROW: Sql = sql`(t.batch_id is not null)`

/**
 * Why a person may not decide on the waiting batch `w` now. One row that they may decide on is enough; otherwise the first row says why.
 * It does not read all rows for a person who is not a checker, nor for a maker.
 */
export function batchObstacle(applicationId: string, person: string): Sql {
  const obstacle = decisionObstacle(sql`${applicationId}`, sql`${person}`)
  const rows = sql`transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    where t.application_id = ${applicationId} and t.batch_id = w.batch_id and t.is_waiting`
  // In order and only the first one: `exists` would read and hash all rows.
  return sql`case when not (select is_checker(${applicationId}, ${person}))
    or (select true from ${rows} and t.maker_id is distinct from ${person}::uuid and (${obstacle}) is null order by t.sequence limit 1) is null
    then (select ${obstacle} from ${rows} order by t.sequence limit 1) end`
}

/** The checker in whose place a person decides about the transaction `t`; null for a checker. */
export function onBehalfOf(application: Sql, person: Sql): Sql {
  return sql`case when not is_own_checker(${application}, ${person}) then deputy_for(${application}, ${person}, t.transaction_id) end`
}
