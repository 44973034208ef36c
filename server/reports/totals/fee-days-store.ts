import { OPERATOR_CODES, type OperatorCode } from '#lib/operators.ts'
import { FIRST_DAY, LAST_DAY } from '#lib/time.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
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
 * The fees of what succeeded, per operator and type: by day up to the mark, and transaction by transaction after it. Mark and sums have to
 * come from one snapshot. The mark is a value of its own so that the planner knows how few transactions lie after it.
 */
export async function selectFeeSums(
  snapshot: Queryable,
  applicationId: string,
  { from, to, type, operators }: RollUpQuery,
  mark: bigint,
): Promise<FeeSum[]> {
  const { rows } = await snapshot.query<FeeSum>(
    `select operator, type, sum(fee_system_minor) as "feeSystemMinor", sum(fee_app_minor) as "feeAppMinor" from (
       select f.operator, f.type, f.fee_system_minor, f.fee_app_minor from fee_days f
         where f.application_id = $1 and f.day between $2::date and $3::date
       union all
       select t.operator, t.type, t.fee_system_minor, t.fee_app_minor from transactions t
         where t.application_id = $1 and t.status = 'SUCCESS' and t.final_sequence > $6
           and (t.created_at at time zone 'UTC')::date between $2::date and $3::date) fees
     where ($4::text is null or type = $4) and operator = any ($5::text[])
     group by operator, type`,
    [applicationId, from ?? FIRST_DAY, to ?? LAST_DAY, type, operators.length > 0 ? operators : OPERATOR_CODES, mark],
  )
  return rows
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
