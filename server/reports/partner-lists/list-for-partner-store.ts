import { TRANSACTION_STATUSES, type TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import type { UtcDay } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction-store.ts'

/** One page of a list. `total` counts the whole list, exactly, in the same snapshot as the rows. */
export type Page<Row> = { rows: Row[]; total: bigint; page: number; size: number }

/** 0-indexed page and its size, both already checked at the edge. */
type PageRequest = { page: number; size: number }

/** An application's transactions, newest first. A page past the end has no rows. */
export function listTransactions(queryable: Queryable, applicationId: string, request: PageRequest): Promise<Page<Transaction>> {
  return readPage(queryable, ALL, request, [applicationId])
}

/** Those in one status; for SUCCESS and FAILED the newest result first. */
export function listByStatus(
  queryable: Queryable,
  applicationId: string,
  status: TransactionStatus,
  request: PageRequest,
): Promise<Page<Transaction>> {
  return readPage(queryable, BY_STATUS[status], request, [applicationId])
}

/** Those of one phone number, exactly as written, newest first. */
export function listByPhone(
  queryable: Queryable,
  applicationId: string,
  phoneNumber: string,
  request: PageRequest,
): Promise<Page<Transaction>> {
  return readPage(queryable, BY_PHONE, request, [applicationId, phoneNumber])
}

/** The newest transactions whose sequence is lower than `before`, or of all if it is null; at most `limit`. */
export async function listBefore(
  queryable: Queryable,
  applicationId: string,
  before: bigint | null,
  limit: number,
): Promise<Transaction[]> {
  const { rows } = await queryable.query<Transaction>({
    name: 'list_transactions_before',
    text: `select ${TRANSACTION_COLUMNS} from transactions t
      where t.application_id = $1 and t.sequence < coalesce($2::bigint, 9223372036854775807) order by t.sequence desc limit $3`,
    values: [applicationId, before, limit],
  })
  return rows
}

/** The transaction that the application's program calls by this name; undefined if there is none. */
export async function findByExternalId(queryable: Queryable, applicationId: string, externalId: string): Promise<Transaction | undefined> {
  const { rows } = await queryable.query<Transaction>({
    name: 'find_transaction_by_external_id',
    text: `select ${TRANSACTION_COLUMNS} from transactions t where t.application_id = $1 and t.external_id = $2`,
    values: [applicationId, externalId],
  })
  return rows[0]
}

/** A list as the parts of its statement. $1 is the page, $2 its size, $3 the application; `t` is the transaction. */
type List = { name: string; total: string; from: string; order: string }

/**
 * Page N as arithmetic: sequences have no gaps, so the page is a range of them, found by one index descent at
 * any depth. Counter and rows come from one statement, hence one snapshot.
 */
function inSequence(name: string, counter: string, source: string, sequence: string, condition: string): List {
  return {
    name,
    total: `c.${counter}`,
    from: `application_counters c
      left join ${source} t on t.application_id = $3 and ${condition}
        and t.${sequence} <= c.${counter} - $1::bigint * $2 and t.${sequence} > c.${counter} - ($1::bigint + 1) * $2
      where c.application_id = $3`,
    order: `t.${sequence} desc`,
  }
}

const ALL = inSequence('select_page', 'transaction_count', 'transactions', 'sequence', 'true')

const BY_STATUS: Readonly<Record<TransactionStatus, List>> = {
  // The newest result first, by the gap-free sequence of the status.
  SUCCESS: inSequence('select_success_page', 'success_count', 'final_transactions', 'final_sequence', `t.to_status = 'SUCCESS'`),
  FAILED: inSequence('select_failed_page', 'failed_count', 'final_transactions', 'final_sequence', `t.to_status = 'FAILED'`),
  // Transactions with operator work; its key is in order of the transactions' ids, which are in order of time.
  PENDING: {
    name: 'select_pending_page',
    total: 'c.pending_count',
    from: `application_counters c
      left join lateral (select w.application_id, w.transaction_id from operator_work w where w.application_id = $3
        order by w.transaction_id desc limit $2 offset $1::bigint * $2) w on true
      left join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
      where c.application_id = $3`,
    order: 't.transaction_id desc',
  },
  PENDING_APPROVAL: {
    name: 'select_waiting_page',
    total: 'c.pending_approval_count',
    from: `application_counters c
      left join lateral (select * from transactions where application_id = $3 and is_waiting
        order by sequence desc limit $2 offset $1::bigint * $2) t on true
      where c.application_id = $3`,
    order: 't.sequence desc',
  },
}

/** One phone's transactions are few enough to count in the index. */
const BY_PHONE: List = {
  name: 'select_phone_page',
  total: 'n.total',
  from: `(select count(*) as total from transactions where application_id = $3 and phone_number = $4) n
      left join lateral (select * from transactions where application_id = $3 and phone_number = $4
        order by sequence desc limit $2 offset $1::bigint * $2) t on true`,
  order: 't.sequence desc',
}

type ListRow = { total: bigint } & { [Field in keyof Transaction]: Transaction[Field] | null }

async function readPage(
  queryable: Queryable,
  { name, total, from, order }: List,
  { page, size }: PageRequest,
  values: readonly string[],
): Promise<Page<Transaction>> {
  const { rows } = await queryable.query<ListRow>({
    name,
    text: `select ${total} as total, ${TRANSACTION_COLUMNS} from ${from} order by ${order}`,
    values: [page, size, ...values],
  })
  return { rows: rows.filter(isTransaction), total: rows[0]?.total ?? 0n, page, size }
}

/** The one row of an empty page carries only the total. */
function isTransaction(row: ListRow): row is ListRow & Transaction {
  return row.transactionId !== null
}

/**
 * Returns the sum of the amounts created on the days of the range, both ends included, in one status, in hundredths. Currencies are added
 * together because the partner API defines it so (getTotalAmountByApplicationProductAndDateRange). Sealed months and days are read, and
 * the days that are not sealed yet, never transactions.
 */
export async function totalByRange(
  queryable: Queryable,
  applicationId: string,
  range: { startDay: UtcDay; endDay: UtcDay; status: TransactionStatus },
): Promise<bigint> {
  const { rows } = await queryable.query<{ total: bigint }>({
    name: 'total_by_range',
    text: 'select total_between($1, $2, $3::date, $4::date) as total',
    values: [applicationId, range.status, range.startDay, range.endDay],
  })
  return rows[0]?.total ?? 0n
}

/** Returns the sum of all amounts of the application, in every status. */
export async function totalOfApplication(queryable: Queryable, applicationId: string): Promise<bigint> {
  const { rows } = await queryable.query<{ total: bigint }>({
    name: 'total_of_application',
    text: "select sum(total_between($1, s.status, '-infinity', 'infinity')) as total from unnest($2::text[]) as s (status)",
    values: [applicationId, TRANSACTION_STATUSES],
  })
  return rows[0]?.total ?? 0n
}
