import type { UtcDay } from '#lib/time.ts'
import type { TransactionStatus } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { sumAll, sumRange } from './total-store.ts'

/**
 * The sum of amounts created on the days of the range, both ends included, in one status, in hundredths. Currencies are
 * added together because the specification says so (getTotalAmountByApplicationProductAndDateRange).
 */
export function totalByRange(
  queryable: Queryable,
  applicationId: string,
  range: { startDay: UtcDay; endDay: UtcDay; status: TransactionStatus },
): Promise<bigint> {
  return sumRange(queryable, applicationId, range)
}

/** The sum of all amounts of the application, whatever became of them. */
export function totalOfApplication(queryable: Queryable, applicationId: string): Promise<bigint> {
  return sumAll(queryable, applicationId)
}
