import type { UtcDay } from '#lib/time.ts'
import { TRANSACTION_STATUSES, type TransactionStatus } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

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
