import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { filteredOperators, type TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import type { UtcDay } from '#lib/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { runQuery } from '#server/database/query-builder.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction.ts'

/** One UTC day of an application: all its transactions, and those that the day-level filters leave. */
export type DayCount = { day: UtcDay; all: bigint; matching: bigint }

/** A stretch of an application's sequence, both ends included. */
export type Stretch = { first: bigint; last: bigint }

/** The part of a filter that roll-ups know too, over the table of that alias. */
function dayCondition(filter: TransactionFilter, alias: 'd' | 't'): RawBuilder<SqlBool> {
  const operators = filteredOperators(filter)
  const conditions: RawBuilder<SqlBool>[] = [sql`true`]
  if (filter.status.length > 0) conditions.push(sql`${sql.ref(`${alias}.status`)} = any (${filter.status})`)
  if (filter.type.length > 0) conditions.push(sql`${sql.ref(`${alias}.type`)} = any (${filter.type})`)
  if (operators) conditions.push(sql`${sql.ref(`${alias}.operator`)} = any (${operators})`)
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** Every day of the application with its counts, oldest first: some hundreds of rows a year, whatever its size. */
export async function selectDayCounts(queryable: Queryable, applicationId: string, filter: TransactionFilter): Promise<DayCount[]> {
  const matches = sql<SqlBool>`${dayCondition(filter, 'd')} and ${dateCondition(filter)}`
  return runQuery(
    queryable,
    sql<DayCount>`select d.day, sum(d.transaction_count) as "all",
      coalesce(sum(d.transaction_count) filter (where ${matches}), 0) as matching
    from transaction_days d where d.application_id = ${applicationId} group by d.day order by d.day`,
  )
}

function dateCondition(filter: TransactionFilter): RawBuilder<SqlBool> {
  return sql<SqlBool>`d.day >= ${filter.from ?? '0001-01-01'}::date and d.day <= ${filter.to ?? '9999-12-31'}::date`
}

function rowCondition(applicationId: string, filter: TransactionFilter): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`t.application_id = ${applicationId}`, dayCondition(filter, 't')]
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
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

function stretchCondition(stretches: readonly Stretch[]): RawBuilder<SqlBool> {
  const first = stretches.reduce((least, one) => (one.first < least ? one.first : least), stretches[0]?.first ?? 1n)
  const last = stretches.reduce((most, one) => (one.last > most ? one.last : most), 0n)
  const around = sql<SqlBool>`t.sequence between ${first} and ${last}`
  if (stretches.length < 2) return around
  return sql<SqlBool>`${around} and exists (select 1
    from unnest(${stretches.map((one) => one.first)}::bigint[], ${stretches.map((one) => one.last)}::bigint[]) as s (first, last)
    where t.sequence between s.first and s.last)`
}

const ORDERS: Record<TransactionFilter['sort'], RawBuilder<unknown>> = {
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
  return runQuery(
    queryable,
    sql<Transaction>`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
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
  return runQuery(
    queryable,
    sql<Transaction>`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where ${rowCondition(applicationId, filter)} and t.sequence between ${stretch.first} and ${stretch.last} order by ${ORDERS[order]} limit ${limit}`,
  )
}

/** Transactions by their ids, newest first; ids of other applications find nothing. */
export function selectRowsByIds(queryable: Queryable, applicationId: string, transactionIds: readonly string[]): Promise<Transaction[]> {
  return runQuery(
    queryable,
    sql<Transaction>`select ${sql.raw(TRANSACTION_COLUMNS)} from transactions t
    where t.application_id = ${applicationId} and t.transaction_id = any (${transactionIds}::uuid[]) order by t.sequence desc`,
  )
}

export type CurrencySum = { currency: Currency; count: bigint; amountMinor: bigint }

export type ScannedPage = { sums: CurrencySum[]; sequences: bigint[] }

/** What fits in some stretches in one walk through them: count and sum per currency, and the places of one page in the filter's order. */
export async function scanRows(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  { stretches, offset, limit }: RowsRequest,
): Promise<ScannedPage> {
  const order = ORDERS[filter.sort]
  const [found] = await runQuery(
    queryable,
    sql<{ sums: { currency: Currency; count: string; amount: string }[] | null; sequences: bigint[] | null }>`
      with t as materialized (select t.sequence, t.currency, t.amount_minor from transactions t
        where ${rowCondition(applicationId, filter)} and ${stretchCondition(stretches)}),
      page as (select t.sequence, t.amount_minor from t order by ${order} offset ${offset} limit ${limit})
      select (select json_agg(s) from (select t.currency, count(*)::text as count, sum(t.amount_minor)::text as amount from t group by t.currency) s) as sums,
        (select array_agg(t.sequence order by ${order}) from page t) as sequences`,
  )
  return {
    sums: (found?.sums ?? []).map(({ currency, count, amount }) => ({ currency, count: BigInt(count), amountMinor: BigInt(amount) })),
    sequences: (found?.sequences ?? []).map(BigInt),
  }
}

/** The rows at some places of the sequence, in the order in which they are named. */
export function selectRowsAt(queryable: Queryable, applicationId: string, sequences: readonly bigint[]): Promise<Transaction[]> {
  return runQuery(
    queryable,
    sql<Transaction>`select ${sql.raw(TRANSACTION_COLUMNS)} from unnest(${sequences}::bigint[]) with ordinality as wanted (sequence, place)
    join transactions t on t.application_id = ${applicationId} and t.sequence = wanted.sequence order by wanted.place`,
  )
}

/** Counts and sums what fits, per currency, row by row: only over stretches that a reader can wait for. */
export function sumRows(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  stretches: readonly Stretch[],
): Promise<CurrencySum[]> {
  return runQuery(
    queryable,
    sql<CurrencySum>`select t.currency, count(*) as count, sum(t.amount_minor) as "amountMinor" from transactions t
    where ${rowCondition(applicationId, filter)} and ${stretchCondition(stretches)} group by t.currency order by t.currency`,
  )
}

/** The same from the roll-ups, for filters that they know: any number of transactions at the price of their days. */
export function sumDays(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
): Promise<{ operator: OperatorCode; count: bigint; amountMinor: bigint }[]> {
  return runQuery(
    queryable,
    sql<{ operator: OperatorCode; count: bigint; amountMinor: bigint }>`select d.operator,
      sum(d.transaction_count) as count, sum(d.amount_minor) as "amountMinor" from transaction_days d
    where d.application_id = ${applicationId} and ${dayCondition(filter, 'd')} and ${dateCondition(filter)} group by d.operator`,
  )
}
