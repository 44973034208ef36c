import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ApprovalBand } from '#lib/approval-policy.ts'
import type { ApprovalEnd, ApprovalQueue } from '#lib/approvals.ts'
import type { Currency } from '#lib/money.ts'
import type { ApprovalFilter } from '#lib/schemas/approval-filter.ts'
import type { Queryable } from '#server/database/pool.ts'
import { runQuery } from '#server/database/query-builder.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction.ts'

export type QueueViewer = { personId: string; isChecker: boolean }

export type QueueRow = Transaction & {
  makerName: string | null
  policyVersion: number
  rule: ApprovalBand['rule']
  steps: number[]
  needsCode: boolean
  apiMayDecide: boolean
  expiresAt: Date
  isApplicationEnabled: boolean
  isServiceEnabled: boolean
  decisions: {
    checkerId: string
    checkerName: string
    decision: 'validated' | 'rejected'
    step: number
    note: string
    usedCode: boolean
    through: 'api' | 'back_office'
    counts: boolean
    decidedAt: string
  }[]
  end: ApprovalEnd | null
}

/** Decisions that the last tab looks at, newest first: it is for what just happened; the list of transactions knows the rest. */
const DECIDED_MAX = 2_000

const COLUMNS =
  sql.raw(`${TRANSACTION_COLUMNS}, m.name as "makerName", i.policy_version as "policyVersion", i.rule, i.steps, i.needs_code as "needsCode",
  i.api_may_decide as "apiMayDecide", i.expires_at as "expiresAt",
  coalesce((select a.is_enabled from applications a where a.application_id = t.application_id), false) as "isApplicationEnabled",
  coalesce((select s.is_enabled from transfer_services s
            where s.application_id = t.application_id and s.operator = t.operator and s.type = t.type), true) as "isServiceEnabled",
  coalesce((select json_agg(json_build_object('checkerId', d.checker_id, 'checkerName', p.name, 'decision', d.decision, 'step', d.step, 'note', d.note,
              'usedCode', d.used_code, 'through', d.through,
              'counts', t.status <> 'PENDING_APPROVAL' or may_approve_now(d.application_id, d.checker_id, t.maker_id), 'decidedAt', d.decided_at) order by d.decided_at, d.checker_id)
            from approval_decisions d join people p on p.person_id = d.checker_id
            where d.application_id = t.application_id and d.transaction_id = t.transaction_id), '[]') as decisions,
  case when t.status <> 'PENDING_APPROVAL' then (select json_build_object('event', e.event, 'by', p.name, 'reason', e.reason, 'at', e.at)
     from transaction_events e left join people p on p.person_id = e.actor_id
     where e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.from_status = 'PENDING_APPROVAL' limit 1) end as "end"`)

/** Whether a waiting row is in a queue of this person; the same sentence as canDecide, for many rows at once. */
function queueCondition(viewer: QueueViewer, queue: Exclude<ApprovalQueue, 'decided'>): RawBuilder<SqlBool> {
  const isMade = sql<SqlBool>`t.maker_id is not distinct from ${viewer.personId}::uuid`
  if (queue === 'made') return isMade
  const isMine = viewer.isChecker
    ? sql<SqlBool>`(i.expires_at > now() and not exists (select 1 from approval_decisions d where d.application_id = t.application_id
        and d.transaction_id = t.transaction_id and d.checker_id = ${viewer.personId}::uuid))`
    : sql<SqlBool>`false`
  return queue === 'mine' ? sql<SqlBool>`not ${isMade} and ${isMine}` : sql<SqlBool>`not ${isMade} and not ${isMine}`
}

function filterCondition(filter: ApprovalFilter): RawBuilder<SqlBool> {
  const conditions: RawBuilder<SqlBool>[] = [sql`true`]
  if (filter.operator !== null) conditions.push(sql`t.operator = ${filter.operator}`)
  if (filter.min !== null) conditions.push(sql`t.amount_minor >= ${filter.min}`)
  if (filter.max !== null) conditions.push(sql`t.amount_minor <= ${filter.max}`)
  if (filter.maker !== null) conditions.push(filter.maker === 'api' ? sql`t.maker_id is null` : sql`t.maker_id = ${filter.maker}`)
  if (filter.rule !== '') conditions.push(sql`i.rule ->> 'name' = ${filter.rule}`)
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** Who decided, and on which UTC days. */
function decisionCondition({ checker, from, to }: ApprovalFilter): RawBuilder<SqlBool> {
  const conditions: RawBuilder<SqlBool>[] = [sql`true`]
  if (checker !== null) conditions.push(sql`checker_id = ${checker}`)
  if (from !== null) conditions.push(sql`decided_at >= ${from}::date::timestamp at time zone 'UTC'`)
  if (to !== null) conditions.push(sql`decided_at < (${to}::date + 1)::timestamp at time zone 'UTC'`)
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

const WAITING = sql`transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id`

const ORDERS: Record<ApprovalFilter['sort'], RawBuilder<unknown>> = {
  oldest: sql`t.sequence`,
  newest: sql`t.sequence desc`,
  expiry: sql`i.expires_at, t.sequence`,
  amount: sql`t.amount_minor desc, t.sequence`,
}

/** One page of a waiting queue. Only what waits is looked at, through its partial index, whatever the size of the rest. */
export function selectWaiting(
  queryable: Queryable,
  applicationId: string,
  viewer: QueueViewer,
  filter: ApprovalFilter,
  page: { offset: number; limit: number },
): Promise<QueueRow[]> {
  if (filter.queue === 'decided') throw new Error('Decided rows do not wait')
  // First which rows, then what is shown of them: an order that no index has must not read everything about every row.
  return runQuery(
    queryable,
    sql<QueueRow>`with picked as materialized (
      select t.application_id, t.transaction_id from ${WAITING}
      where t.application_id = ${applicationId} and t.status = 'PENDING_APPROVAL' and ${queueCondition(viewer, filter.queue)}
        and ${filterCondition(filter)}
      order by ${ORDERS[filter.sort]} offset ${page.offset} limit ${page.limit}
    )
    select ${COLUMNS} from picked f
    join transactions t on t.application_id = f.application_id and t.transaction_id = f.transaction_id
    join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    left join people m on m.person_id = t.maker_id order by ${ORDERS[filter.sort]}`,
  )
}

/** One page of what was decided lately, the newest decision first. */
export function selectDecided(
  queryable: Queryable,
  applicationId: string,
  filter: ApprovalFilter,
  page: { offset: number; limit: number },
): Promise<(QueueRow & { total: bigint })[]> {
  return runQuery(
    queryable,
    sql<QueueRow & { total: bigint }>`with lately as materialized (
      select d.application_id, d.transaction_id, max(d.decided_at) as decided_at
      from (select application_id, transaction_id, decided_at from approval_decisions
            where application_id = ${applicationId} and ${decisionCondition(filter)}
            order by decided_at desc limit ${DECIDED_MAX}) d group by 1, 2
    ), fitting as materialized (
      select l.*, count(*) over () as total from lately l
      cross join lateral (select * from transactions n where n.application_id = l.application_id and n.transaction_id = l.transaction_id) t
      join approval_items i on i.application_id = l.application_id and i.transaction_id = l.transaction_id
      where ${filterCondition(filter)} order by l.decided_at desc, l.transaction_id offset ${page.offset} limit ${page.limit}
    )
    select ${COLUMNS}, f.total from fitting f
    join transactions t on t.application_id = f.application_id and t.transaction_id = f.transaction_id
    join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    left join people m on m.person_id = t.maker_id order by f.decided_at desc, f.transaction_id`,
  )
}

/** The rows with these ids that ever had to be approved, in no particular order. */
export function selectByIds(queryable: Queryable, applicationId: string, transactionIds: readonly string[]): Promise<QueueRow[]> {
  return runQuery(
    queryable,
    sql<QueueRow>`select ${COLUMNS} from ${WAITING} left join people m on m.person_id = t.maker_id
    where t.application_id = ${applicationId} and t.transaction_id = any (${transactionIds}::uuid[])`,
  )
}

/** Some of what waits, of one queue of this person, alike in all that the page counts by. */
export type WaitingGroup = {
  queue: Exclude<ApprovalQueue, 'decided'>
  currency: Currency
  makerId: string | null
  makerName: string | null
  rule: string
  isFitting: boolean
  count: number
  amountMinor: bigint
  oldestAt: Date
}

/** Everything that waits, counted and summed in one pass: for the queues, the filter's total and the filter's choices at once. */
export function groupWaiting(
  queryable: Queryable,
  applicationId: string,
  viewer: QueueViewer,
  filter: ApprovalFilter,
): Promise<WaitingGroup[]> {
  return runQuery(
    queryable,
    sql<WaitingGroup>`select g.*, m.name as "makerName" from (
      select w.queue, w.currency, w.maker_id as "makerId", w.rule, w.is_fitting as "isFitting", count(*)::integer as count,
        sum(w.amount_minor) as "amountMinor", min(w.created_at) as "oldestAt"
      from (select t.currency, t.maker_id, t.amount_minor, t.created_at, i.rule ->> 'name' as rule, ${filterCondition(filter)} as is_fitting,
              case when ${queueCondition(viewer, 'made')} then 'made' when ${queueCondition(viewer, 'mine')} then 'mine' else 'others' end as queue
            from ${WAITING} where t.application_id = ${applicationId} and t.status = 'PENDING_APPROVAL') w
      group by w.queue, w.currency, w.maker_id, w.rule, w.is_fitting) g
    left join people m on m.person_id = g."makerId"`,
  )
}
