import type { TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import type { WebhookState } from '#lib/webhook-state.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction.ts'
import type { CurrencySum, Stretch } from './search-spans.ts'
import { rollUpCondition } from './search-spans-store.ts'

function rowCondition(applicationId: string, filter: TransactionFilter): Sql {
  const conditions = [sql`t.application_id = ${applicationId}`, rollUpCondition(filter, 't')]
  if (filter.min !== null) conditions.push(sql`t.amount_minor >= ${filter.min}`)
  if (filter.max !== null) conditions.push(sql`t.amount_minor <= ${filter.max}`)
  if (filter.phone !== '') conditions.push(sql`t.phone_number like ${`${filter.phone}%`}`)
  if (filter.name !== '') conditions.push(sql`lower(t.customer_name) like lower(${`%${filter.name.replace(/[\\%_]/g, '\\$&')}%`})`)
  if (filter.batch !== null) conditions.push(sql`t.batch_id = ${filter.batch}`)
  if (filter.unconfirmed !== null) {
    conditions.push(sql`t.status = 'PENDING' and exists (select 1 from operator_work w
      where w.application_id = t.application_id and w.transaction_id = t.transaction_id and w.unconfirmed_since is not null
        and w.unconfirmed_since >= ${filter.unconfirmedAfter ?? '-infinity'}::timestamptz
        and w.unconfirmed_since < ${filter.unconfirmedBefore ?? 'infinity'}::timestamptz)`)
  }
  if (filter.webhook !== null) conditions.push(webhookCondition(filter.webhook, filter))
  return sql.join(conditions, sql` and `)
}

/** The state stands in the text, so that the planner sees the index of that state. */
function webhookCondition(state: WebhookState, filter: TransactionFilter): Sql {
  const conditions = [sql`w.application_id = t.application_id and w.transaction_id = t.transaction_id and w.state = ${sql.literal(state)}`]
  if (filter.webhookTarget !== null) conditions.push(receiverCondition(filter.webhookTarget))
  if (filter.webhookAfter !== null) conditions.push(sql`w.finished_at >= ${filter.webhookAfter}::timestamptz`)
  if (filter.webhookBefore !== null) conditions.push(sql`w.finished_at < ${filter.webhookBefore}::timestamptz`)
  return sql`exists (select 1 from webhook_deliveries w where ${sql.join(conditions, sql` and `)})`
}

/** By the receiver's name as people see it: user name and password in a target can neither be filtered by nor be guessed. */
function receiverCondition(target: string): Sql {
  return sql`case when position('@' in w.target) > 0 then webhook_receiver(w.target) else w.target end = ${target}`
}

/**
 * The bounds stand in subqueries, so that the planner does not see how wide they are: it would read the whole table, other applications'
 * rows with it, once they hold a good part of it, and along the index of the sequence the same rows take half the time.
 */
function betweenSequences({ first, last }: Stretch): Sql {
  return sql`t.sequence between (select ${first}::bigint) and (select ${last}::bigint)`
}

function stretchCondition(stretches: readonly Stretch[]): Sql {
  const first = stretches.reduce((least, one) => (one.first < least ? one.first : least), stretches[0]?.first ?? 1n)
  const last = stretches.reduce((most, one) => (one.last > most ? one.last : most), 0n)
  const around = betweenSequences({ first, last })
  if (stretches.length < 2) return around
  return sql`${around} and exists (select 1
    from unnest(${stretches.map((one) => one.first)}::bigint[], ${stretches.map((one) => one.last)}::bigint[]) as s (first, last)
    where t.sequence between s.first and s.last)`
}

const ORDERS: Record<TransactionFilter['sort'], Sql> = {
  newest: sql`t.sequence desc`,
  oldest: sql`t.sequence`,
  'amount-desc': sql`t.amount_minor desc, t.sequence desc`,
  'amount-asc': sql`t.amount_minor, t.sequence desc`,
}

export type RowsRequest = { stretches: readonly Stretch[]; offset: bigint; limit: number }

/** The rows of some stretches that fit the filter, in its order. */
export function selectRows(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  request: RowsRequest,
): Promise<Transaction[]> {
  return runQuery<Transaction>(
    queryable,
    sql`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where ${rowCondition(applicationId, filter)} and ${stretchCondition(request.stretches)}
    order by ${ORDERS[filter.sort]} offset ${request.offset} limit ${request.limit}`,
  )
}

export type WalkRequest = { stretch: Stretch; order: 'newest' | 'oldest'; limit: number }

/** The next rows of a walk through a stretch, in order of the sequence: the caller moves the stretch behind the last row it got. */
export function selectRowsOfWalk(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  { stretch, order, limit }: WalkRequest,
): Promise<Transaction[]> {
  return runQuery<Transaction>(
    queryable,
    sql`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where ${rowCondition(applicationId, filter)} and ${betweenSequences(stretch)} order by ${ORDERS[order]} limit ${limit}`,
  )
}

/** Transactions by their ids, newest first; ids of other applications find nothing. */
export function selectRowsByIds(queryable: Queryable, applicationId: string, transactionIds: readonly string[]): Promise<Transaction[]> {
  return runQuery<Transaction>(
    queryable,
    sql`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where t.application_id = ${applicationId} and t.transaction_id = any (${transactionIds}::uuid[]) order by t.sequence desc`,
  )
}

/** Counts and sums what fits, per currency, row by row: only over stretches that a reader can wait for. */
export function sumRows(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  stretches: readonly Stretch[],
): Promise<CurrencySum[]> {
  return runQuery<CurrencySum>(
    queryable,
    sql`select t.currency, count(*) as count, sum(t.amount_minor) as "amountMinor" from transactions t
    where ${rowCondition(applicationId, filter)} and ${stretchCondition(stretches)} group by t.currency order by t.currency`,
  )
}
