import { TRANSACTION_STATUSES, type TransactionStatus } from '#lib/payments/transaction-status.ts'
import type { UtcDay } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from '#server/transactions/transaction-store.ts'

export type ListRow = { total: bigint } & { [Field in keyof Transaction]: Transaction[Field] | null }

/**
 * Page N as arithmetic: sequences have no gaps, so the page is a range of them, found by one index descent at
 * any depth. Counter and rows come from one statement, hence one snapshot. No row but the total: `transactionId` is null.
 */
export async function selectPage(queryable: Queryable, applicationId: string, { page, size }: PageRequest): Promise<ListRow[]> {
  const { rows } = await queryable.query<ListRow>({
    name: 'select_page',
    text: `select c.transaction_count as total, ${TRANSACTION_COLUMNS}
      from application_counters c
      left join transactions t on t.application_id = $1
        and t.sequence <= c.transaction_count - $2::bigint * $3 and t.sequence > c.transaction_count - ($2::bigint + 1) * $3
      where c.application_id = $1
      order by t.sequence desc`,
    values: [applicationId, page, size],
  })
  return rows
}

/** The same for a final status, newest result first, by its own gap-free sequence. */
export async function selectFinalPage(
  queryable: Queryable,
  applicationId: string,
  status: 'SUCCESS' | 'FAILED',
  { page, size }: PageRequest,
): Promise<ListRow[]> {
  const counter = status === 'SUCCESS' ? 'success_count' : 'failed_count'
  const { rows } = await queryable.query<ListRow>({
    name: `select_final_page_${status}`,
    text: `select c.${counter} as total, ${TRANSACTION_COLUMNS}
      from application_counters c
      left join transactions t on t.application_id = $1 and t.status = '${status}' and t.final_sequence is not null
        and t.final_sequence <= c.${counter} - $2::bigint * $3 and t.final_sequence > c.${counter} - ($2::bigint + 1) * $3
      where c.application_id = $1
      order by t.final_sequence desc`,
    values: [applicationId, page, size],
  })
  return rows
}

/** PENDING is what has operator work; its key is in order of the transactions' ids, which are in order of time. */
export async function selectPendingPage(queryable: Queryable, applicationId: string, { page, size }: PageRequest): Promise<ListRow[]> {
  const { rows } = await queryable.query<ListRow>({
    name: 'select_pending_page',
    text: `select c.pending_count as total, ${TRANSACTION_COLUMNS}
      from application_counters c
      left join lateral (select w.application_id, w.transaction_id from operator_work w where w.application_id = $1
        order by w.transaction_id desc limit $3 offset $2::bigint * $3) w on true
      left join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
      where c.application_id = $1
      order by t.transaction_id desc`,
    values: [applicationId, page, size],
  })
  return rows
}

export async function selectWaitingPage(queryable: Queryable, applicationId: string, { page, size }: PageRequest): Promise<ListRow[]> {
  const { rows } = await queryable.query<ListRow>({
    name: 'select_waiting_page',
    text: `select c.pending_approval_count as total, ${TRANSACTION_COLUMNS}
      from application_counters c
      left join lateral (select * from transactions where application_id = $1 and status = 'PENDING_APPROVAL'
        order by sequence desc limit $3 offset $2::bigint * $3) t on true
      where c.application_id = $1
      order by t.sequence desc`,
    values: [applicationId, page, size],
  })
  return rows
}

/** One phone's transactions are few enough to count in the index. */
export async function selectPhonePage(
  queryable: Queryable,
  applicationId: string,
  phoneNumber: string,
  { page, size }: PageRequest,
): Promise<ListRow[]> {
  const { rows } = await queryable.query<ListRow>({
    name: 'select_phone_page',
    text: `select n.total, ${TRANSACTION_COLUMNS}
      from (select count(*) as total from transactions where application_id = $1 and phone_number = $4) n
      left join lateral (select * from transactions where application_id = $1 and phone_number = $4
        order by sequence desc limit $3 offset $2::bigint * $3) t on true
      order by t.sequence desc`,
    values: [applicationId, page, size, phoneNumber],
  })
  return rows
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

/** One page of a list. `total` counts the whole list, exactly, in the same snapshot as the rows. */
export type Page<Row> = { rows: Row[]; total: bigint; page: number; size: number }

/** 0-indexed page and its size, both already checked at the edge. */
export type PageRequest = { page: number; size: number }
