import { FAILURE_MESSAGES, type FailureReason, type WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import type { TransactionFilter } from '#lib/schemas/list-filter.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction-store.ts'
import { type PartSum, rollUpCondition } from './day-counts-store.ts'
import type { SequenceRange } from './sequence-range.ts'

function rowCondition(applicationId: string, filter: TransactionFilter): Sql {
  const conditions = [sql`t.application_id = ${applicationId}`, rollUpCondition(filter, 't')]
  if (filter.min !== null) conditions.push(sql`t.amount_minor >= ${filter.min}`)
  if (filter.max !== null) conditions.push(sql`t.amount_minor <= ${filter.max}`)
  if (filter.phone !== '') conditions.push(sql`t.phone_number like ${`${filter.phone}%`}`)
  if (filter.name !== '') {
    const part = `%${filter.name.replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(sql`(lower(t.customer_name) like lower(${part}) or (t.purpose <> '' and lower(t.purpose) like lower(${part})))`)
  }
  if (filter.batch !== null) conditions.push(sql`t.batch_id = ${filter.batch}`)
  if (filter.maker !== null) conditions.push(filter.maker === 'api' ? sql`t.maker_id is null` : sql`t.maker_id = ${filter.maker}`)
  if (filter.reason.length > 0) conditions.push(reasonCondition(filter.reason))
  if (filter.ended !== null) conditions.push(endedCondition(filter.ended))
  if (filter.refund !== null) conditions.push(refundCondition(filter.refund))
  if (filter.unconfirmed !== null) {
    conditions.push(sql`t.status = 'PENDING' and exists (select 1 from operator_work w
      where w.application_id = t.application_id and w.transaction_id = t.transaction_id and w.unconfirmed_since is not null
        and w.unconfirmed_since >= ${filter.unconfirmedAfter ?? '-infinity'}::timestamptz
        and w.unconfirmed_since < ${filter.unconfirmedBefore ?? 'infinity'}::timestamptz)`)
  }
  if (filter.webhook !== null) conditions.push(webhookCondition(filter.webhook, filter))
  return sql`${sql.join(conditions, sql` and `)}`
}

/** Failed with one of these messages, or for `other` with a message that is none of the known ones. */
function reasonCondition(reasons: readonly FailureReason[]): Sql {
  const messages = reasons.flatMap((reason) => (reason === 'other' ? [] : [FAILURE_MESSAGES[reason]]))
  const known = sql`coalesce(t.message, '') = any (${messages})`
  if (!reasons.includes('other')) return sql`t.status = 'FAILED' and ${known}`
  return sql`t.status = 'FAILED' and (${known} or coalesce(t.message, '') <> all (${Object.values(FAILURE_MESSAGES)}))`
}

/** As the run of a batch counts its rows: a refusal for lack of funds is one of the operator's. */
function endedCondition(ended: NonNullable<TransactionFilter['ended']>): Sql {
  const events = ended === 'failed' ? ['failed', 'refused_for_funds'] : [ended]
  return sql`t.status = 'FAILED' and exists (select 1 from transaction_events e
    where e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version and e.event = any (${events}))`
}

/** A collect of which the only refund failed is not refunded. */
function refundCondition(refund: 'refund' | 'refunded'): Sql {
  if (refund === 'refund')
    return sql`t.type = 'DEPOSIT' and exists (select 1 from transaction_refunds r
      where r.application_id = t.application_id and r.transaction_id = t.transaction_id)`
  return sql`t.type = 'COLLECT' and exists (select 1 from transaction_refunds r
    where r.application_id = t.application_id and r.collect_id = t.transaction_id) and refunded_minor(t.application_id, t.transaction_id) > 0`
}

/** The state is a literal, so that the planner sees the index of that state. */
function webhookCondition(state: WebhookState, filter: TransactionFilter): Sql {
  const conditions = [sql`w.application_id = t.application_id and w.transaction_id = t.transaction_id and w.state = ${sql.literal(state)}`]
  if (filter.webhookTarget !== null) conditions.push(receiverCondition(filter.webhookTarget))
  if (filter.webhookAfter !== null) conditions.push(sql`w.finished_at >= ${filter.webhookAfter}::timestamptz`)
  if (filter.webhookBefore !== null) conditions.push(sql`w.finished_at < ${filter.webhookBefore}::timestamptz`)
  return sql`exists (select 1 from webhook_deliveries w where ${sql.join(conditions, sql` and `)})`
}

/** By the receiver's name as people see it: nobody can filter by, or guess, a user name and password in a target. */
function receiverCondition(target: string): Sql {
  return sql`case when position('@' in w.target) > 0 then webhook_receiver(w.target) else w.target end = ${target}`
}

/**
 * The bounds are in subqueries, so that the planner does not see how wide they are: for a large part of the table it would read all of it,
 * with the rows of other applications, although the same rows take half the time along the index of the sequence.
 */
function betweenSequences({ first, last }: SequenceRange): Sql {
  return sql`t.sequence between (select ${first}::bigint) and (select ${last}::bigint)`
}

function rangesCondition(ranges: readonly SequenceRange[]): Sql {
  const first = ranges.reduce((least, one) => (one.first < least ? one.first : least), ranges[0]?.first ?? 1n)
  const last = ranges.reduce((most, one) => (one.last > most ? one.last : most), 0n)
  const isBetweenEnds = betweenSequences({ first, last })
  if (ranges.length < 2) return isBetweenEnds
  return sql`${isBetweenEnds} and exists (select 1
    from unnest(${ranges.map((one) => one.first)}::bigint[], ${ranges.map((one) => one.last)}::bigint[]) as s (first, last)
    where t.sequence between s.first and s.last)`
}

const ORDERS: Record<TransactionFilter['sort'], Sql> = {
  newest: sql`t.sequence desc`,
  oldest: sql`t.sequence`,
  'amount-desc': sql`t.amount_minor desc, t.sequence desc`,
  'amount-asc': sql`t.amount_minor, t.sequence desc`,
}

type RowsRequest = { ranges: readonly SequenceRange[]; offset: bigint; limit: number }

/** The rows of some ranges that match the filter, in its order. */
export function selectRows(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  request: RowsRequest,
): Promise<Transaction[]> {
  return runQuery<Transaction>(
    queryable,
    sql`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where ${rowCondition(applicationId, filter)} and ${rangesCondition(request.ranges)}
    order by ${ORDERS[filter.sort]} offset ${request.offset} limit ${request.limit}`,
  )
}

type BatchRequest = { range: SequenceRange; order: 'newest' | 'oldest'; limit: number }

/** The first rows of a range in order of the sequence. For the next batch the caller moves the range behind the last row. */
export function selectBatch(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  { range, order, limit }: BatchRequest,
): Promise<Transaction[]> {
  return runQuery<Transaction>(
    queryable,
    sql`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where ${rowCondition(applicationId, filter)} and ${betweenSequences(range)} order by ${ORDERS[order]} limit ${limit}`,
  )
}

/** Transactions by their ids, newest first; ids of other applications match nothing. */
export function selectRowsByIds(queryable: Queryable, applicationId: string, transactionIds: readonly string[]): Promise<Transaction[]> {
  return runQuery<Transaction>(
    queryable,
    sql`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where t.application_id = ${applicationId} and t.transaction_id = any (${transactionIds}::uuid[]) order by t.sequence desc`,
  )
}

/** Counts and sums what matches, per currency, direction and status, row by row: only over ranges that a reader can wait for. */
export function sumRows(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  ranges: readonly SequenceRange[],
): Promise<PartSum[]> {
  return runQuery<PartSum>(
    queryable,
    sql`select t.currency, t.type, t.status, count(*) as count, sum(t.amount_minor) as "amountMinor",
        sum(t.fee_system_minor + t.fee_app_minor) as "feesMinor" from transactions t
    where ${rowCondition(applicationId, filter)} and ${rangesCondition(ranges)} group by t.currency, t.type, t.status`,
  )
}
