import type { OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

export async function upsertThreshold(
  queryable: Queryable,
  row: { applicationId: string; operator: OperatorCode; thresholdMinor: bigint; personId: string },
): Promise<void> {
  await queryable.query(
    `insert into balance_thresholds (application_id, operator, threshold_minor, set_by) values ($1, $2, $3, $4)
     on conflict (application_id, operator) do update set threshold_minor = excluded.threshold_minor, set_by = excluded.set_by, set_at = now()`,
    [row.applicationId, row.operator, row.thresholdMinor, row.personId],
  )
}

export async function removeThreshold(queryable: Queryable, applicationId: string, operator: OperatorCode): Promise<void> {
  await queryable.query('delete from balance_thresholds where application_id = $1 and operator = $2', [applicationId, operator])
}
