import type { OperatorCode } from '#lib/operators.ts'
import type { UtcDay } from '#lib/time.ts'
import type { TransactionStatus } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Sums roll-up days, never transactions. */
export async function sumRange(
  queryable: Queryable,
  applicationId: string,
  range: { startDay: UtcDay; endDay: UtcDay; status: TransactionStatus },
): Promise<bigint> {
  const { rows } = await queryable.query<{ total: bigint }>({
    name: 'sum_range',
    text: `select coalesce(sum(amount_minor), 0) as total from transaction_days
      where application_id = $1 and status = $2 and day between $3::date and $4::date`,
    values: [applicationId, range.status, range.startDay, range.endDay],
  })
  return rows[0]?.total ?? 0n
}

export async function sumAll(queryable: Queryable, applicationId: string): Promise<bigint> {
  const { rows } = await queryable.query<{ total: bigint }>({
    name: 'sum_all',
    text: 'select coalesce(sum(amount_minor), 0) as total from transaction_days where application_id = $1',
    values: [applicationId],
  })
  return rows[0]?.total ?? 0n
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
