import type { ApprovalEnd, ApprovalQueue, DecisionObstacle, SingleObstacle } from '#lib/approvals/approvals.ts'
import type { Currency } from '#lib/money/money.ts'
import type { AttachmentDto } from '#lib/payments/attachments.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { ApprovalFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { ATTACHMENT_OF_TRANSACTION } from '#server/attachments/attachment-store.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction-store.ts'
import { type ApprovalDecisionJson, DECISION_JSON, EVENT_PROGRAM_NAME } from '../approval-store.ts'
import { decisionObstacle, IS_BATCH_ROW, mayDecide, SINGLE_OBSTACLE } from '../may-decide.ts'

/** The person whose queues are read, and the application. */
export type QueueViewer = { applicationId: string; id: string }

export type QueueRow = Transaction & {
  makerName: string | null
  policyVersion: number
  rule: ApprovalBand['rule']
  steps: number[]
  needsCode: boolean
  apiMayDecide: boolean
  expiresAt: Date
  /** Why the viewer may not decide or approve now; null: they may. */
  obstacle: DecisionObstacle | null
  termsObstacle: SingleObstacle | null
  decisions: (ApprovalDecisionJson & { checkerName: string })[]
  end: ApprovalEnd | null
  attachment: AttachmentDto | null
}

/** How many decisions the decided queue covers, the newest first. Older ones are in the list of transactions. */
const DECIDED_MAX = 2_000

/** The columns of a row as this person sees it. */
function columnsFor({ applicationId, id }: QueueViewer): Sql {
  return sql`${sql.raw(TRANSACTION_COLUMNS)}, m.name as "makerName", i.policy_version as "policyVersion", i.rule, i.steps,
  i.needs_code as "needsCode", i.api_may_decide as "apiMayDecide", i.expires_at as "expiresAt",
  ${decisionObstacle(sql`${applicationId}`, sql`${id}`)} as obstacle, ${SINGLE_OBSTACLE} as "termsObstacle",
  coalesce((select json_agg(json_build_object('checkerName', p.name, ${sql.raw(DECISION_JSON)}) order by d.decided_at, d.checker_id)
            from approval_decisions d join people p on p.person_id = d.checker_id
            where d.application_id = t.application_id and d.transaction_id = t.transaction_id), '[]') as decisions,
  ${sql.raw(ATTACHMENT_OF_TRANSACTION)} as attachment,
  case when t.status <> 'PENDING_APPROVAL' then (select json_build_object('event', e.event, 'by', p.name, 'programName', ${sql.raw(EVENT_PROGRAM_NAME)},
       'reason', e.reason, 'at', e.at)
     from transaction_events e left join people p on p.person_id = e.actor_id
       left join api_users u on e.actor_kind = 'api' and u.application_id = e.application_id and u.api_user_id = e.actor_id
     where e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.from_status = 'PENDING_APPROVAL' limit 1) end as "end"`
}

/** Whether a waiting row is in a queue of this person: every row is in exactly one of the three. */
function queueCondition({ applicationId, id }: QueueViewer, queue: Exclude<ApprovalQueue, 'decided'>): Sql {
  const isMade = sql`t.maker_id is not distinct from ${id}::uuid`
  const isMine = mayDecide(sql`${applicationId}`, sql`${id}`)
  return queue === 'made' ? isMade : queue === 'mine' ? isMine : sql`not ${isMade} and not (${isMine})`
}

function filterCondition(filter: ApprovalFilter): Sql {
  const conditions: Sql[] = [sql`true`]
  if (filter.operator !== null) conditions.push(sql`t.operator = ${filter.operator}`)
  if (filter.min !== null) conditions.push(sql`t.amount_minor >= ${filter.min}`)
  if (filter.max !== null) conditions.push(sql`t.amount_minor <= ${filter.max}`)
  if (filter.maker !== null) conditions.push(filter.maker === 'api' ? sql`t.maker_id is null` : sql`t.maker_id = ${filter.maker}`)
  if (filter.rule !== '') conditions.push(sql`i.rule ->> 'name' = ${filter.rule}`)
  return sql`${sql.join(conditions, sql` and `)}`
}

/** The condition for who decided, and on which days of the zone. */
export function decisionCondition({ checker, from, to }: ApprovalFilter, zone: string): Sql {
  const conditions: Sql[] = [sql`true`]
  if (checker !== null) conditions.push(sql`checker_id = ${checker}`)
  if (from !== null) conditions.push(sql`decided_at >= ${from}::date::timestamp at time zone ${zone}`)
  if (to !== null) conditions.push(sql`decided_at < (${to}::date + 1)::timestamp at time zone ${zone}`)
  return sql`${sql.join(conditions, sql` and `)}`
}

const WAITING = sql`transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id`

const ORDERS: Record<ApprovalFilter['sort'], Sql> = {
  oldest: sql`t.sequence`,
  newest: sql`t.sequence desc`,
  expiry: sql`i.expires_at, t.sequence`,
  amount: sql`t.amount_minor desc, t.sequence`,
}

/**
 * One page of a waiting queue, without the rows of batches. Only what waits is read, through its partial index, however many other
 * transactions there are.
 */
export function selectWaiting(
  queryable: Queryable,
  viewer: QueueViewer,
  filter: ApprovalFilter,
  page: { offset: number; limit: number },
): Promise<QueueRow[]> {
  if (filter.queue === 'decided') throw new Error('Decided rows do not wait')
  // First which rows, then what is shown of them: an order that no index has must not read everything about every row.
  return runQuery<QueueRow>(
    queryable,
    sql`with picked as materialized (
      select t.application_id, t.transaction_id from ${WAITING}
      where t.application_id = ${viewer.applicationId} and t.is_waiting and not ${IS_BATCH_ROW}
        and ${queueCondition(viewer, filter.queue)} and ${filterCondition(filter)}
      order by ${ORDERS[filter.sort]} offset ${page.offset} limit ${page.limit}
    )
    select ${columnsFor(viewer)} from picked f
    join transactions t on t.application_id = f.application_id and t.transaction_id = f.transaction_id
    join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    left join people m on m.person_id = t.maker_id order by ${ORDERS[filter.sort]}`,
  )
}

/** One page of what was decided lately, the newest decision first, and how many fit; a page past the end counts nothing. */
export async function selectDecided(
  queryable: Queryable,
  viewer: QueueViewer & BusinessTime,
  filter: ApprovalFilter,
  page: { offset: number; limit: number },
): Promise<{ rows: QueueRow[]; total: number | null }> {
  const found = await runQuery<QueueRow & { total: number }>(
    queryable,
    sql`with lately as materialized (
      select d.application_id, d.transaction_id, max(d.decided_at) as decided_at
      from (select application_id, transaction_id, decided_at from approval_decisions
            where application_id = ${viewer.applicationId} and batch_id is null and ${decisionCondition(filter, viewer.businessZone)}
            order by decided_at desc limit ${DECIDED_MAX}) d group by 1, 2
    ), fitting as materialized (
      select l.*, count(*) over ()::integer as total from lately l
      cross join lateral (select * from transactions n where n.application_id = l.application_id and n.transaction_id = l.transaction_id) t
      join approval_items i on i.application_id = l.application_id and i.transaction_id = l.transaction_id
      where ${filterCondition(filter)} order by l.decided_at desc, l.transaction_id offset ${page.offset} limit ${page.limit}
    )
    select ${columnsFor(viewer)}, f.total from fitting f
    join transactions t on t.application_id = f.application_id and t.transaction_id = f.transaction_id
    join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    left join people m on m.person_id = t.maker_id order by f.decided_at desc, f.transaction_id`,
  )
  return { rows: found, total: found[0]?.total ?? null }
}

/** The rows with these ids that ever had to be approved, in no particular order. */
export function selectByIds(queryable: Queryable, viewer: QueueViewer, transactionIds: readonly string[]): Promise<QueueRow[]> {
  return runQuery<QueueRow>(
    queryable,
    sql`select ${columnsFor(viewer)} from ${WAITING} left join people m on m.person_id = t.maker_id
    where t.application_id = ${viewer.applicationId} and t.transaction_id = any (${transactionIds}::uuid[])`,
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

/**
 * Everything that waits alone, not in a batch, counted and summed in one pass: for the queues, the filter's total and the filter's choices
 * at once.
 */
export function groupWaiting(queryable: Queryable, viewer: QueueViewer, filter: ApprovalFilter): Promise<WaitingGroup[]> {
  return runQuery<WaitingGroup>(
    queryable,
    sql`select g.*, m.name as "makerName" from (
      select w.queue, w.currency, w.maker_id as "makerId", w.rule, w.is_fitting as "isFitting", count(*)::integer as count,
        sum(w.amount_minor) as "amountMinor", min(w.created_at) as "oldestAt"
      from (select t.currency, t.maker_id, t.amount_minor, t.created_at, i.rule ->> 'name' as rule, ${filterCondition(filter)} as is_fitting,
              case when ${queueCondition(viewer, 'made')} then 'made' when ${queueCondition(viewer, 'mine')} then 'mine' else 'others' end as queue
            from ${WAITING}
            where t.application_id = ${viewer.applicationId} and t.is_waiting and not ${IS_BATCH_ROW}) w
      group by w.queue, w.currency, w.maker_id, w.rule, w.is_fitting) g
    left join people m on m.person_id = g."makerId"`,
  )
}
