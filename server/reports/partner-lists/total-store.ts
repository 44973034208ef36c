import type { OperatorCode } from '#lib/operators.ts'
import type { UtcDay } from '#lib/time.ts'
import { TRANSACTION_STATUSES, type TransactionStatus } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Sums sealed months and days and the roll-up days that are not sealed yet (0070_sealed_totals.sql), never transactions. */
export async function sumRange(
  queryable: Queryable,
  applicationId: string,
  range: { startDay: UtcDay; endDay: UtcDay; status: TransactionStatus },
): Promise<bigint> {
  const { rows } = await queryable.query<{ total: bigint }>({
    name: 'sum_range',
    text: 'select total_between($1, $2, $3::date, $4::date) as total',
    values: [applicationId, range.status, range.startDay, range.endDay],
  })
  return rows[0]?.total ?? 0n
}

/** From the beginning to the end of time, in every status. */
export async function sumAll(queryable: Queryable, applicationId: string): Promise<bigint> {
  const { rows } = await queryable.query<{ total: bigint }>({
    name: 'sum_all',
    text: "select sum(total_between($1, s.status, '-infinity', 'infinity')) as total from unnest($2::text[]) as s (status)",
    values: [applicationId, TRANSACTION_STATUSES],
  })
  return rows[0]?.total ?? 0n
}

/** Seals the days of every application of which nothing can change any more. */
export async function sealDays(queryable: Queryable): Promise<void> {
  await queryable.query('select seal_transaction_days()')
}

/** Applications whose days are not sealed though they could be: what they hold cannot be added up. */
export async function selectUnsealed(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join application_seals s on s.application_id = c.application_id
       where s.application_id is null or s.sealed_through < (now() at time zone 'UTC')::date - 2`,
  )
  return rows.map((row) => row.applicationId)
}

export type BalanceRow = { operator: OperatorCode; collectMinor: bigint; depositMinor: bigint; heldMinor: bigint }

export async function selectBalances(queryable: Queryable, applicationId: string): Promise<BalanceRow[]> {
  const { rows } = await queryable.query<BalanceRow>({
    name: 'select_balances',
    text: `select operator, collect_minor as "collectMinor", deposit_minor as "depositMinor", held_minor as "heldMinor"
      from ledger_balances where application_id = $1`,
    values: [applicationId],
  })
  return rows
}
