import type { BusinessTime } from '#lib/business-days.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators.ts'
import { FIRST_DAY, LAST_DAY } from '#lib/time.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { daysOnly, edgesOf } from '#server/reports/transaction-search/roll-up-ranges-store.ts'
import type { RollUpQuery } from './roll-up-sums-store.ts'

export type FeeSum = { operator: OperatorCode; type: TransactionType; feeSystemMinor: bigint; feeAppMinor: bigint }

/** Up to which final sequence the fees of an application are in `fee_days`. */
export async function findFeeMark(snapshot: Queryable, applicationId: string): Promise<bigint> {
  const { rows } = await snapshot.query<{ addedUntil: bigint }>({
    name: 'find_fee_mark',
    text: 'select added_until as "addedUntil" from fee_marks where application_id = $1',
    values: [applicationId],
  })
  return rows[0]?.addedUntil ?? 0n
}

/**
 * The fees of what succeeded, per operator and type: by UTC day up to the mark, transaction by transaction after it, and the edges of the
 * zone. Mark and sums have to come from one snapshot. The mark is a value of its own so that the planner knows how few transactions lie after it.
 */
export function selectFeeSums(
  snapshot: Queryable,
  { applicationId, businessZone }: BusinessTime,
  { from, to, type, operators }: RollUpQuery,
  mark: bigint,
): Promise<FeeSum[]> {
  const [first, last] = [from ?? FIRST_DAY, to ?? LAST_DAY]
  const edges = edgesOf(applicationId, daysOnly(businessZone, { from, to }), ['SUCCESS'], 'whole ranges')
  return runQuery<FeeSum>(
    snapshot,
    sql`select operator, type, sum(fee_system_minor) as "feeSystemMinor", sum(fee_app_minor) as "feeAppMinor" from (
       select f.operator, f.type, f.fee_system_minor, f.fee_app_minor from fee_days f
         where f.application_id = ${applicationId} and f.day between ${first}::date and ${last}::date
       union all
       select t.operator, t.type, t.fee_system_minor, t.fee_app_minor from transactions t
         where t.application_id = ${applicationId} and t.status = 'SUCCESS' and t.final_sequence > ${mark}
           and (t.created_at at time zone 'UTC')::date between ${first}::date and ${last}::date
       union all
       select e.operator, e.type, e.fee_system_minor, e.fee_app_minor from (${edges}) e) fees
     where (${type}::text is null or type = ${type}) and operator = any (${operators.length > 0 ? operators : OPERATOR_CODES}::text[])
     group by operator, type`,
  )
}

/** The applications with transactions whose fees are not in `fee_days` yet. */
export async function selectApplicationsBehind(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join fee_marks m using (application_id)
      where c.success_count > coalesce(m.added_until, 0)`,
  )
  return rows.map((row) => row.applicationId)
}

/** Adds the fees of the next transactions; returns how many transactions were added. */
export async function addFees(queryable: Queryable, applicationId: string, countMax: number): Promise<bigint> {
  const { rows } = await queryable.query<{ added: bigint }>('select add_fee_days($1, $2) as added', [applicationId, countMax])
  return rows[0]?.added ?? 0n
}
