import type { OperatorCode } from '#lib/operators/operators.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { FIRST_DAY, LAST_DAY } from '#lib/time/time.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { daysOnly, edgesOf, type RollUpRanges } from '../transaction-search/day-counts-store.ts'
import { type RollUpQuery, summed } from './totals-store.ts'

export type PivotPeriod = 'day' | 'month'

const PERIOD_LENGTHS: Readonly<Record<PivotPeriod, number>> = { day: 10, month: 7 }

export type PivotSum = {
  operator: OperatorCode
  type: TransactionType
  status: TransactionStatus
  period: string
  count: bigint
  amountMinor: bigint
}

/** Counts and sums of the matching transactions, per operator, type, status and period, in one statement. By day the ranges have no months; null: one period. */
export function selectPivotSums(
  queryable: Queryable,
  applicationId: string,
  query: RollUpQuery,
  ranges: RollUpRanges,
  period: PivotPeriod | null,
  statuses: readonly TransactionStatus[],
): Promise<PivotSum[]> {
  const edges = edgesOf(applicationId, ranges, statuses, period === null ? 'whole ranges' : 'each day')
  return runQuery<PivotSum>(
    queryable,
    sql`select operator, type, status, left(day::text, ${period === null ? 0 : PERIOD_LENGTHS[period]}) as period,
        sum(transaction_count) as count, sum(amount_minor) as "amountMinor"
      from ${summed(applicationId, query, ranges, statuses, edges)} d
      group by 1, 2, 3, 4 having sum(transaction_count) <> 0`,
  )
}

export type PivotFeeSum = { operator: OperatorCode; type: TransactionType; period: string; feesMinor: bigint }

/**
 * The fees of what succeeded, per operator, type and period, in one statement: by UTC day up to the mark, transaction by transaction after it,
 * and the edges of the zone. Mark and sums have to come from one snapshot.
 */
export function selectPivotFees(
  snapshot: Queryable,
  { applicationId, businessZone }: BusinessTime,
  { type, operators, from, to }: RollUpQuery,
  period: PivotPeriod,
  addedUntil: bigint,
): Promise<PivotFeeSum[]> {
  const [first, last] = [from ?? FIRST_DAY, to ?? LAST_DAY]
  const edges = edgesOf(applicationId, daysOnly(businessZone, { from, to }), ['SUCCESS'], 'each day')
  return runQuery<PivotFeeSum>(
    snapshot,
    sql`select operator, type, left(day::text, ${PERIOD_LENGTHS[period]}) as period, sum(fee_system_minor + fee_app_minor) as "feesMinor"
      from (
        select f.day, f.operator, f.type, f.fee_system_minor, f.fee_app_minor from fee_days f
          where f.application_id = ${applicationId} and f.day between ${first}::date and ${last}::date
        union all
        select l.day, l.operator, l.type, l.fee_system_minor, l.fee_app_minor from (
          select (t.created_at at time zone 'UTC')::date as day, t.operator, t.type, t.fee_system_minor, t.fee_app_minor
            from final_transactions t
            where t.application_id = ${applicationId} and t.to_status = 'SUCCESS' and t.final_sequence > ${addedUntil}) l
          where l.day between ${first}::date and ${last}::date
        union all
        select e.day, e.operator, e.type, e.fee_system_minor, e.fee_app_minor from (${edges}) e
      ) d
      where (${type}::text is null or type = ${type}) and operator = any (${operators.length > 0 ? operators : OPERATOR_CODES}::text[])
      group by 1, 2, 3 having sum(fee_system_minor + fee_app_minor) <> 0`,
  )
}
