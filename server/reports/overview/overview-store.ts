import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { OperatorOutcome } from '#lib/payments/transactions/transaction-dto.ts'
import type { EventName, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { ADJUSTMENTS } from '#server/ledger/ledger-store.ts'
import { OPEN_CONTRADICTION } from '#server/operators/work/contradiction-store.ts'

/** The revision that an open page compares: how often its application with the close of day, its proposals, and the close of day alone have changed, and the zone of its days. */
export type ApplicationRevision = { changeNumber: bigint; proposalNumber: bigint; closeNumber: bigint; timeZone: string }

/** The revisions of these applications, in one statement. A page that was rendered with another one may show what is old. */
export async function findRevisions(queryable: Queryable, applicationIds: readonly string[]): Promise<Map<string, ApplicationRevision>> {
  if (applicationIds.length === 0) return new Map()
  const { rows } = await queryable.query<ApplicationRevision & { applicationId: string }>({
    name: 'find_revisions',
    text: `select application_id as "applicationId", c.change_number + coalesce(r.change_number, 0) as "changeNumber", c.proposal_number as "proposalNumber",
        coalesce(r.change_number, 0) as "closeNumber", a.time_zone as "timeZone"
      from application_counters c join applications a using (application_id) left join close_revisions r using (application_id)
     where application_id = any ($1::uuid[])`,
    values: [applicationIds],
  })
  return new Map(rows.map((row) => [row.applicationId, row]))
}

export type ContradictionRow = {
  number: number
  /** `hint`: a callback without a signature that the operator could neither confirm nor deny. */
  source: 'callback' | 'hint' | 'submit' | 'query'
  said: OperatorOutcome
  storedStatus: 'SUCCESS' | 'FAILED'
  httpStatus: number | null
  answer: string
  at: Date
}

/** Returns the contradiction of a transaction's result, then the operator's answers to the queries about it, in order. */
export async function selectContradiction(queryable: Queryable, applicationId: string, transactionId: string): Promise<ContradictionRow[]> {
  const { rows } = await queryable.query<ContradictionRow>({
    name: 'select_contradiction',
    text: `select c.number, c.source, c.said, c.stored_status as "storedStatus", c.http_status as "httpStatus", c.answer, c.at
      from operator_contradictions c where c.application_id = $1 and c.transaction_id = $2 order by c.number`,
    values: [applicationId, transactionId],
  })
  return rows
}

/** A final transaction that somebody has to clarify with its operator. */
export type AlertedRow = {
  transactionId: string
  operator: OperatorCode
  currency: Currency
  amountMinor: bigint
  status: 'SUCCESS' | 'FAILED'
  adjustments: AdjustmentKind[]
  at: Date
}

/** Contradictions in which the operator, asked again, did not confirm the stored result, and that nobody has cleared up; the newest first. */
export async function selectOpenContradictions(queryable: Queryable, applicationId: string, limit: number): Promise<AlertedRow[]> {
  const { rows } = await queryable.query<AlertedRow>({
    name: 'select_open_contradictions',
    text: `select c.transaction_id as "transactionId", t.operator, t.currency, t.amount_minor as "amountMinor", c.stored_status as status, c.at, ${ADJUSTMENTS} as adjustments
      from operator_contradictions c
      join transactions t on t.application_id = c.application_id and t.transaction_id = c.transaction_id
      where ${OPEN_CONTRADICTION} order by c.at desc limit $2`,
    values: [applicationId, limit],
  })
  return rows
}

/** How many there are, counted up to `limit`. */
export async function countOpenContradictions(queryable: Queryable, applicationId: string, limit: number): Promise<number> {
  const { rows } = await queryable.query<{ count: bigint }>({
    name: 'count_open_contradictions',
    text: `select count(*) as count from (select 1 from operator_contradictions c where ${OPEN_CONTRADICTION} limit $2) counted`,
    values: [applicationId, limit],
  })
  return Number(rows[0]?.count ?? 0n)
}

/** Transactions whose operator gave their reference to another one too, recorded since this instant; the newest first. */
export async function selectSharedReferences(
  queryable: Queryable,
  applicationId: string,
  since: Date,
  limit: number,
): Promise<AlertedRow[]> {
  const { rows } = await queryable.query<AlertedRow>({
    name: 'select_shared_references',
    text: `select s.transaction_id as "transactionId", s.operator, t.currency, t.amount_minor as "amountMinor", t.status, s.at, ${ADJUSTMENTS} as adjustments
      from shared_operator_references s
      join transactions t on t.application_id = s.application_id and t.transaction_id = s.transaction_id
      where s.application_id = $1 and s.at >= $2 order by s.at desc limit $3`,
    values: [applicationId, since, limit],
  })
  return rows
}

/** How many there are, counted up to `limit`. */
export async function countSharedReferences(queryable: Queryable, applicationId: string, since: Date, limit: number): Promise<number> {
  const { rows } = await queryable.query<{ count: bigint }>({
    name: 'count_shared_references',
    text: `select count(*) as count
      from (select 1 from shared_operator_references s where s.application_id = $1 and s.at >= $2 limit $3) counted`,
    values: [applicationId, since, limit],
  })
  return Number(rows[0]?.count ?? 0n)
}

export type UnconfirmedSum = { currency: Currency; bucket: number; count: bigint; amountMinor: bigint }

/** Unconfirmed transactions per currency and age; `edges` are the instants between the buckets, newest first. */
export async function selectUnconfirmed(queryable: Queryable, applicationId: string, edges: readonly Date[]): Promise<UnconfirmedSum[]> {
  const { rows } = await queryable.query<UnconfirmedSum>(
    `select t.currency, (select count(*) from unnest($2::timestamptz[]) as e (at) where w.unconfirmed_since < e.at)::integer as bucket,
            count(*) as count, sum(t.amount_minor) as "amountMinor"
     from operator_work w join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
     where w.application_id = $1 and w.unconfirmed_since is not null and t.status = 'PENDING'
     group by 1, 2`,
    [applicationId, edges],
  )
  return rows
}

type OwnWaitingSum = { currency: Currency; count: bigint; amountMinor: bigint; oldestAt: Date }

/** Returns the transactions that a person started and that still wait for approval, per currency. */
export async function selectOwnWaiting(queryable: Queryable, applicationId: string, personId: string): Promise<OwnWaitingSum[]> {
  const { rows } = await queryable.query<OwnWaitingSum>({
    name: 'select_own_waiting',
    text: `select t.currency, count(*) as count, sum(t.amount_minor) as "amountMinor", min(t.created_at) as "oldestAt" from transactions t
      where t.application_id = $1 and t.maker_id = $2 and t.is_waiting group by t.currency`,
    values: [applicationId, personId],
  })
  return rows
}

/** Returned items wait for their maker, so they are shown for longer than failures. */
export const OWN_RETURNED_DAYS = 30
/** Of how many of a maker's newest transactions the ends are looked for. */
const OWN_LOOKED_MAX = 2_000
/** A transaction that was sent again, alone or with a batch, or that its maker dismissed, is done with. */
const NOT_DONE = `not exists (select 1 from transaction_origins o where o.application_id = t.application_id and o.origin_id = t.transaction_id)
  and not is_in_retry(t.application_id, t.transaction_id)
  and not exists (select from dismissed_returns d where d.application_id = t.application_id and d.transaction_id = t.transaction_id)`

export type OwnEndRow = {
  transactionId: string
  type: TransactionType
  operator: OperatorCode
  currency: Currency
  amountMinor: bigint
  customerName: string
  message: string | null
  at: Date
  /** Rejected, or nobody decided in time: it went to no operator. */
  isReturned: boolean
  event: EventName
  reason: string | null
  phoneNumber: string
}

/**
 * Returns the transactions that a person started and that were rejected or failed since an instant, newest first, without those that were
 * recalled or sent again. Only their newest transactions are read.
 */
export async function selectOwnEnded(
  queryable: Queryable,
  applicationId: string,
  { personId, since }: { personId: string; since: Date },
): Promise<OwnEndRow[]> {
  const { rows } = await queryable.query<OwnEndRow>({
    name: 'select_own_open_ends',
    text: `select t.transaction_id as "transactionId", t.type, t.operator, t.currency, t.amount_minor as "amountMinor",
        t.customer_name as "customerName", t.message, t.final_at as at, t.phone_number as "phoneNumber",
        -- Of an end at the operator it is the operator's own code, which says nothing to a maker.
        case when e.event = 'rejected' then e.reason end as reason,
        e.event, e.event in ('rejected', 'expired') as "isReturned"
      from (select n.* from transactions n where n.application_id = $1 and n.maker_id = $2 order by n.sequence desc limit $4) t
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
      where t.status = 'FAILED' and t.final_at >= $3 and e.event <> 'recalled' and ${NOT_DONE}
      order by t.final_at desc`,
    values: [applicationId, personId, since, OWN_LOOKED_MAX],
  })
  return rows
}

/**
 * The payments that a person started and that went to no operator, because they were rejected or nobody decided in time, and that were not
 * sent again: among the newest that `selectOwnEnded` reads.
 */
export function ownReturned(applicationId: string, personId: string): Sql {
  return sql`select t.transaction_id, t.batch_id, t.final_at as at, e.event, t.customer_name, t.operator, t.currency, t.amount_minor
    from (select n.* from transactions n where n.application_id = ${applicationId} and n.maker_id = ${personId}
      order by n.sequence desc limit ${OWN_LOOKED_MAX}) t
    join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
    where t.status = 'FAILED' and e.event in ('rejected', 'expired') and ${sql.raw(NOT_DONE)}`
}

/** Takes a returned payment, or all of a returned batch, from what waits for its maker. Returns how many it were. */
export async function storeDismissal(trx: TrxClient, applicationId: string, personId: string, id: string): Promise<number> {
  const rows = await runQuery(
    trx,
    sql`insert into dismissed_returns (application_id, transaction_id)
      select ${applicationId}::uuid, r.transaction_id from (${ownReturned(applicationId, personId)}) r
       where coalesce(r.batch_id, r.transaction_id) = ${id} on conflict do nothing returning transaction_id`,
  )
  return rows.length
}
