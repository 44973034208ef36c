import type { BatchEnd, DecisionObstacle, TermsObstacle } from '#lib/approvals/approvals.ts'
import type { StagedBatch } from '#lib/batches/batch-stage.ts'
import type { Currency } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus, TransactionType, TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import type { ApprovalFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { listTextColumns } from '#server/transactions/payment-text-columns.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction-store.ts'
import { EVENT_PROGRAM_NAME, PROGRAM_NAME } from './approval-store.ts'
import { batchObstacle, decisionObstacle, mayDecide, onBehalfOf, TERMS_OBSTACLE } from './may-decide.ts'
import { decisionCondition, type QueueViewer } from './queue/queue-store.ts'

/** Rows of a batch that are alike in all that a decision about it depends on. Amounts in hundredths, as text. */
export type BatchGroup = {
  status: TransactionStatus
  type: TransactionType
  operator: OperatorCode
  currency: Currency
  obstacle: DecisionObstacle | null
  termsObstacle: TermsObstacle | null
  ruleName: string
  policyVersion: number
  steps: number[]
  needsCode: boolean
  /** Approvals that count. */
  given: number
  count: number
  amountMinor: string
  feeMinor: string
}

/** One checker's decision about rows of a batch that wait. */
type BatchDecisionRow = {
  checkerId: string
  checkerName: string
  programName: string | null
  /** The absent checker for whom a deputy decided. */
  absentName: string | null
  decision: 'validated' | 'rejected'
  note: string
  usedCode: boolean
  counts: boolean
  decidedAt: string
  count: number
}

export type BatchState = {
  name: string | null
  /** Of `batches`; null if the file is not known. */
  state: string | null
  /** Null for a batch of a program. */
  makerId: string | null
  makerName: string
  createdAt: Date
  /** Of the row that expires first. */
  expiresAt: Date
  /** When it is sent, if it is approved by then; null: as soon as it is approved. Part of the hash. */
  releaseAt: Date | null
  shownAt: Date
  hash: string
  groups: BatchGroup[]
  decisions: BatchDecisionRow[]
}

/** How many ends of a batch's rows are named. */
const ENDS_MAX = 5

const CURRENCY_OF_OPERATOR = OPERATOR_CODES.map((code) => OPERATORS[code].country.currency)
/** The voter of a decision: the same person may have decided for several absent checkers. */
const SAME_VOTER = sql.raw('v.checker_id = d.checker_id and v.on_behalf_of is not distinct from d.on_behalf_of')
const ROW_KEY = sql.raw('i.application_id = t.application_id and i.transaction_id = t.transaction_id')

function ofBatch(applicationId: string, batchId: string): Sql {
  return sql`t.application_id = ${applicationId} and t.batch_id = ${batchId}`
}

/**
 * Everything about a batch in one pass over its rows: groups, decisions, and the digest of what waits, row after row in the order of the
 * sequence. The fields of a row are those of `shownContent`; rows of a file have no attachments. Undefined if the application has no such batch.
 */
export async function selectBatch(queryable: Queryable, viewer: QueueViewer, batchId: string): Promise<BatchState | undefined> {
  const { applicationId, id } = viewer
  const rows = await runQuery<BatchState>(
    queryable,
    sql`with r as materialized (
      select t.*, i.rule, i.policy_version, i.steps, i.needs_code, i.api_may_decide, i.expires_at,
        ${decisionObstacle(sql`${applicationId}`, sql`${id}`)} as obstacle
      from transactions t join approval_items i on ${ROW_KEY} where ${ofBatch(applicationId, batchId)}
    ), d as materialized (
      select d.*, r.maker_id as row_maker_id from r join approval_decisions d
        on d.application_id = r.application_id and d.transaction_id = r.transaction_id where r.status = 'PENDING_APPROVAL'
    ), voter as materialized (
      select v.checker_id, v.on_behalf_of, b.name as absent_name,
        may_approve_now(${applicationId}, v.checker_id, v.row_maker_id, v.on_behalf_of) as counts
      from (select distinct checker_id, on_behalf_of, row_maker_id from d) v left join people b on b.person_id = v.on_behalf_of
    ), decided as materialized (
      select d.transaction_id, count(*) filter (where d.decision = 'validated' and v.counts)::integer as given,
        string_agg(row(d.checker_id, d.on_behalf_of, d.decision, v.counts, d.note, d.used_code)::text, ',' order by d.decided_at, d.checker_id) as votes
      from d join voter v on ${SAME_VOTER} group by d.transaction_id
    ), terms as materialized (
      select t.operator, t.type, ${TERMS_OBSTACLE} as obstacle from (select distinct application_id, operator, type from r) t
    )
    select b.name, b.state, f.maker_id as "makerId", maker_name_of(${applicationId}, f.maker_id, f.api_user_id) as "makerName", f.created_at as "createdAt", f.expires_at as "expiresAt",
      u.release_at as "releaseAt", clock_timestamp() as "shownAt",
      (select encode(sha256(convert_to(coalesce(string_agg(row(r.transaction_id, r.external_id, r.type, r.operator, r.amount_minor,
          r.fee_system_minor, r.fee_app_minor, r.currency, ${sql.raw(listTextColumns('r'))}, r.phone_number, r.webhook_url, r.source, r.maker_id, r.batch_id,
          extract(epoch from r.created_at), r.rule, r.policy_version, r.steps, r.needs_code, r.api_may_decide,
          extract(epoch from r.expires_at), x.votes)::text, ',' order by r.sequence), '') || coalesce(extract(epoch from u.release_at)::text, ''), 'UTF8')), 'hex')
        from r left join decided x on x.transaction_id = r.transaction_id where r.status = 'PENDING_APPROVAL') as hash,
      (select json_agg(g) from (
        select r.status, r.type, r.operator, r.currency, r.obstacle, m.obstacle as "termsObstacle", r.rule ->> 'name' as "ruleName",
          r.policy_version as "policyVersion", r.steps, r.needs_code as "needsCode", coalesce(x.given, 0) as given, count(*)::integer as count,
          sum(r.amount_minor)::text as "amountMinor", sum(r.fee_system_minor + r.fee_app_minor)::text as "feeMinor"
        from r left join decided x on x.transaction_id = r.transaction_id join terms m on m.operator = r.operator and m.type = r.type
        group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) g) as groups,
      (select coalesce(json_agg(v order by v."decidedAt"), '[]') from (
        select d.checker_id as "checkerId", c.name as "checkerName", ${sql.raw(PROGRAM_NAME)} as "programName",
          v.absent_name as "absentName", d.decision, d.note, d.used_code as "usedCode", v.counts,
          min(d.decided_at) as "decidedAt", count(*)::integer as count
        from d join voter v on ${SAME_VOTER} join people c on c.person_id = d.checker_id
        group by 1, 2, 3, 4, 5, 6, 7, 8) v) as decisions
    from (select maker_id, api_user_id, min(created_at) as created_at, coalesce(min(expires_at) filter (where status = 'PENDING_APPROVAL'), min(expires_at)) as expires_at
          from r group by maker_id, api_user_id) f
      left join batches b on b.application_id = ${applicationId} and b.batch_id = ${batchId}
      left join batch_runs u on u.application_id = ${applicationId} and u.batch_id = ${batchId} and u.is_timed`,
  )
  return rows[0]
}

/**
 * How the wait of a batch's rows ended: by event, person and reason, most rows first. A row that is left out of an approval has a reason of its
 * own, so the ends may be as many as the rows; the first ones are returned. Empty while a row waits.
 */
export async function listBatchEnds(queryable: Queryable, applicationId: string, batchId: string): Promise<BatchEnd[]> {
  const rows = await runQuery<Omit<BatchEnd, 'at'> & { at: Date }>(
    queryable,
    sql`select e.event, c.name as by, ${sql.raw(EVENT_PROGRAM_NAME)} as "programName", e.reason, max(e.at) as at, count(*)::integer as count
    from transactions t
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.from_status = 'PENDING_APPROVAL'
      -- A program decides in the name of a checker.
      left join people c on c.person_id = case when e.actor_kind = 'api' then t.checker_id else e.actor_id end
      left join api_users u on e.actor_kind = 'api' and u.application_id = e.application_id and u.api_user_id = e.actor_id
    where ${ofBatch(applicationId, batchId)}
      and not exists (select from transactions t where ${ofBatch(applicationId, batchId)} and t.status = 'PENDING_APPROVAL')
    group by 1, 2, 3, 4 order by count desc, at limit ${ENDS_MAX}`,
  )
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

type NewBatchDecision = {
  applicationId: string
  batchId: string
  checkerId: string
  decision: 'validated' | 'rejected'
  step: number
  note: string
  usedCode: boolean
  excluded: readonly { transactionId: string; reason: string }[]
}

/** Stores one person's decision on every row of a batch that they may decide on; excluded rows are rejected with their own reason. */
export async function insertBatchDecisions(
  trx: TrxClient,
  { applicationId, batchId, checkerId, decision, step, note, usedCode, excluded }: NewBatchDecision,
): Promise<{ transactionId: string; decision: 'validated' | 'rejected'; onBehalfOf: string | null }[]> {
  const ids = excluded.map((row) => row.transactionId)
  const reasons = excluded.map((row) => row.reason)
  return runQuery(
    trx,
    sql`insert into approval_decisions
      (application_id, transaction_id, checker_id, on_behalf_of, maker_id, decision, step, note, used_code, through, decided_at, batch_id)
    select t.application_id, t.transaction_id, ${checkerId}, ${onBehalfOf(sql`${applicationId}`, sql`${checkerId}`)}, t.maker_id, case when x.id is null then ${decision}::text else 'rejected' end,
      ${step}::smallint, coalesce(x.reason, ${note}::text), ${usedCode}::boolean and x.id is null, 'back_office', statement_timestamp(), t.batch_id
    from transactions t join approval_items i on ${ROW_KEY}
      left join unnest(${ids}::uuid[], ${reasons}::text[]) as x (id, reason) on x.id = t.transaction_id
    where ${ofBatch(applicationId, batchId)} and ${mayDecide(sql`${applicationId}`, sql`${checkerId}`)}
    returning transaction_id as "transactionId", decision, on_behalf_of as "onBehalfOf"`,
  )
}

/** Which waiting rows of a batch have at least `needed` approvals that count. */
export async function selectCompleteRows(trx: TrxClient, applicationId: string, batchId: string, needed: number): Promise<string[]> {
  const rows = await runQuery<{ id: string }>(
    trx,
    sql`with d as materialized (
      select d.transaction_id, d.checker_id, d.on_behalf_of, t.maker_id from transactions t join approval_decisions d
        on d.application_id = t.application_id and d.transaction_id = t.transaction_id and d.decision = 'validated'
      where ${ofBatch(applicationId, batchId)} and t.is_waiting
    ), voter as materialized (
      select v.checker_id, v.on_behalf_of from (select distinct checker_id, on_behalf_of, maker_id from d) v
      where may_approve_now(${applicationId}, v.checker_id, v.maker_id, v.on_behalf_of)
    )
    select d.transaction_id as id from d join voter v on ${SAME_VOTER} group by d.transaction_id having count(*) >= ${needed}`,
  )
  return rows.map((row) => row.id)
}

/** Why nobody may approve the first of these transactions that could not be started now either; null if all could. */
export async function selectTermsOf(
  trx: TrxClient,
  applicationId: string,
  transactionIds: readonly string[],
): Promise<TermsObstacle | null> {
  const rows = await runQuery<{ obstacle: TermsObstacle }>(
    trx,
    sql`select x.obstacle from (select distinct t.application_id, t.operator, t.type from transactions t
        where t.application_id = ${applicationId} and t.transaction_id = any (${transactionIds}::uuid[])) t
      cross join lateral (select ${TERMS_OBSTACLE} as obstacle) x where x.obstacle is not null limit 1`,
  )
  return rows[0]?.obstacle ?? null
}

/** The waiting rows of a batch, in order. */
export async function selectWaitingRowIds(queryable: Queryable, applicationId: string, batchId: string): Promise<string[]> {
  const rows = await runQuery<{ id: string }>(
    queryable,
    sql`select t.transaction_id as id from transactions t
      where ${ofBatch(applicationId, batchId)} and t.is_waiting order by t.sequence`,
  )
  return rows.map((row) => row.id)
}

/** The waiting rows of a batch as they are stored, in order. */
export function selectWaitingRows(queryable: Queryable, applicationId: string, batchId: string): Promise<Transaction[]> {
  return runQuery<Transaction>(
    queryable,
    sql`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
      where ${ofBatch(applicationId, batchId)} and t.is_waiting order by t.sequence`,
  )
}

type MovedRow = {
  transactionId: string
  customerName: string
  event: TransitionEvent
  by: string | null
  programName: string | null
  at: Date
  total: number
}

/** Rows of a batch that stopped waiting after an instant, the newest first. */
export function selectMovedSince(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
  since: Date,
  limit: number,
): Promise<MovedRow[]> {
  return runQuery<MovedRow>(
    queryable,
    sql`select t.transaction_id as "transactionId", t.customer_name as "customerName", e.event, p.name as by,
      ${sql.raw(EVENT_PROGRAM_NAME)} as "programName", e.at,
      count(*) over ()::integer as total
    from transactions t
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id
      left join people p on p.person_id = coalesce(t.checker_id, e.actor_id)
      left join api_users u on e.actor_kind = 'api' and u.application_id = e.application_id and u.api_user_id = e.actor_id
    where ${ofBatch(applicationId, batchId)} and e.from_status = 'PENDING_APPROVAL' and e.at > ${since}
    order by e.at desc, t.sequence limit ${limit}`,
  )
}

/** A batch that waits, in one currency. */
type WaitingBatch = {
  batchId: string
  name: string | null
  state: string | null
  /** Null for a batch of a program. */
  makerId: string | null
  makerName: string
  currency: Currency
  count: number
  amountMinor: bigint
  createdAt: Date
  expiresAt: Date
  obstacle: DecisionObstacle | null
}

/** The ids of all batches that wait, as `waiting` of a `with`, by the index on their rows: one descent for each. */
export const WAITING_BATCHES = (applicationId: string) => sql`with recursive waiting (batch_id) as (
    (select t.batch_id from transactions t
      where t.application_id = ${applicationId} and t.is_waiting and t.batch_id is not null order by t.batch_id limit 1)
    union all
    select (select t.batch_id from transactions t where t.application_id = ${applicationId} and t.is_waiting
      and t.batch_id is not null and t.batch_id > w.batch_id order by t.batch_id limit 1) from waiting w where w.batch_id is not null
  )`

/**
 * Every batch that waits in an application, one row for each of its currencies, oldest first. While rows of a batch are still being started, its
 * counts and sums are those of the submission: thousands of rows are not counted again with every hundred that are added.
 */
export function selectWaitingBatches(queryable: Queryable, viewer: QueueViewer): Promise<WaitingBatch[]> {
  const { applicationId } = viewer
  return runQuery<WaitingBatch>(
    queryable,
    sql`${WAITING_BATCHES(applicationId)}
    select w.batch_id as "batchId", b.name, b.state, s.maker_id as "makerId", maker_name_of(${applicationId}, s.maker_id, s.api_user_id) as "makerName", s.currency, s.count,
      s.amount_minor as "amountMinor", s.created_at as "createdAt", s.expires_at as "expiresAt", ${batchObstacle(applicationId, viewer.id)} as obstacle
    from waiting w
      left join batches b on b.application_id = ${applicationId} and b.batch_id = w.batch_id
      cross join lateral (
        select t.maker_id, t.api_user_id, t.currency, count(*)::integer as count, sum(t.amount_minor) as amount_minor, min(t.created_at) as created_at,
          min(i.expires_at) as expires_at
        from transactions t join approval_items i on ${ROW_KEY}
        where t.application_id = ${applicationId} and t.batch_id = w.batch_id and t.is_waiting
          and b.state is distinct from 'submitting'
        group by t.maker_id, t.api_user_id, t.currency
        union all
        select t.maker_id, t.api_user_id, c.currency, c.count, c.amount_minor, t.created_at, t.expires_at
        from (select t.maker_id, t.api_user_id, t.created_at, i.expires_at from transactions t join approval_items i on ${ROW_KEY}
              where t.application_id = ${applicationId} and t.batch_id = w.batch_id and t.is_waiting
              order by t.sequence limit 1) t
          cross join lateral (
            select o.currency, sum(s.count)::integer as count, sum(s."amountMinor") as amount_minor
            from jsonb_to_recordset(b.sums) as s (operator text, count integer, "amountMinor" bigint)
              join unnest(${OPERATOR_CODES}::text[], ${CURRENCY_OF_OPERATOR}::text[]) as o (operator, currency) on o.operator = s.operator
            group by o.currency) c
        where b.state = 'submitting') s
    order by s.created_at, w.batch_id, s.currency`,
  )
}

/** The people who may decide on at least one row of a batch now, by name. */
export function selectBatchDeciders(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
): Promise<{ personId: string; name: string }[]> {
  return runQuery(
    queryable,
    sql`select p.person_id as "personId", p.name from memberships m join people p on p.person_id = m.person_id
    where m.application_id = ${applicationId} and is_checker(m.application_id, m.person_id) and exists (
      select from transactions t join approval_items i on ${ROW_KEY}
      where ${ofBatch(applicationId, batchId)} and t.is_waiting and ${mayDecide(sql`m.application_id`, sql`m.person_id`)})
    order by p.name, p.person_id`,
  )
}

/** The newest submitted batches among which decided ones are looked for. Older ones are in the list of batches. */
const SUBMITTED_MAX = 500
const LISTED_MAX = 50

/**
 * A batch on which somebody decided. `decidedAt` is the time of the last decision, `decidedBy` names each person once; amounts in
 * hundredths, as text.
 */
export type DecidedBatch = StagedBatch & {
  batchId: string
  name: string
  /** Null for a batch of a program. */
  makerId: string | null
  makerName: string
  createdAt: Date
  decidedAt: Date
  rowCount: number
  sums: { operator: OperatorCode; count: number; amountMinor: string }[]
  decidedBy: string[]
}

/** The batches of which a decision fits the filter's checker and days, the newest decision first. */
export function selectDecidedBatches(
  queryable: Queryable,
  { applicationId, businessZone }: QueueViewer & BusinessTime,
  filter: ApprovalFilter,
): Promise<DecidedBatch[]> {
  return runQuery<DecidedBatch>(
    queryable,
    sql`with decided as materialized (select b.application_id, b.batch_id, d.decided_at, d.names
    from (select * from batches where application_id = ${applicationId} and submitted_at is not null
          order by created_at desc, batch_id desc limit ${SUBMITTED_MAX}) b
      cross join lateral (
        select max(w.last_at) as decided_at, array_agg(w.name order by w.first_at) as names, bool_or(w.is_fitting) as is_fitting from (
          select p.name, min(l.decided_at) as first_at, max(l.decided_at) as last_at,
            bool_or(${decisionCondition(filter, businessZone)}) as is_fitting
          from list_batch_decisions(b.application_id, b.batch_id) l join people p on p.person_id = l.checker_id group by p.person_id) w) d
    where d.is_fitting order by d.decided_at desc, b.batch_id limit ${LISTED_MAX})
    select b.batch_id as "batchId", b.name, b.maker_id as "makerId", maker_name_of(b.application_id, b.maker_id, b.api_user_id) as "makerName", b.created_at as "createdAt",
      d.decided_at as "decidedAt", b.ready_count as "rowCount", b.sums, d.names as "decidedBy", b.type, s.places,
      name_batch_state(b.state, s.places) as stage
    from decided d
      join batches b on b.application_id = d.application_id and b.batch_id = d.batch_id
      cross join lateral (select places_of_batch(b) as places offset 0) s
    order by d.decided_at desc, b.batch_id`,
  )
}
