import type { BatchNamesDto } from '#lib/batches/batches.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

type Place = { applicationId: string; batchId: string }

export type CheckedAccountRow = { rowNumber: number; operator: OperatorCode; phoneNumber: string; customerName: string | null }

/** The wish to have the names of a batch checked, with the number of its receivers; undefined if nobody asked for it. */
export async function findNameCheck(
  queryable: Queryable,
  { applicationId, batchId }: Place,
): Promise<Pick<BatchNamesDto, 'state' | 'receiverCount'> | undefined> {
  const { rows } = await queryable.query<Pick<BatchNamesDto, 'state' | 'receiverCount'>>(
    `select coalesce(n.ending, 'open') as state,
            (select count(distinct (r.operator, r.phone_number))::integer from batch_rows r
              where r.application_id = $1 and r.batch_id = $2 and r.problems = '[]' and r.exclusion is null) as "receiverCount"
       from batch_name_checks n where n.application_id = $1 and n.batch_id = $2`,
    [applicationId, batchId],
  )
  return rows[0]
}

/** The rows of a batch whose account the application has had checked within 24 hours. */
export async function selectCheckedRows(queryable: Queryable, { applicationId, batchId }: Place): Promise<CheckedAccountRow[]> {
  const { rows } = await queryable.query<CheckedAccountRow>(
    `select row_number as "rowNumber", operator, phone_number as "phoneNumber", customer_name as "customerName" from batch_rows r
      where application_id = $1 and batch_id = $2 and problems = '[]' and exclusion is null
        and exists (select from account_checks c where c.application_id = r.application_id and c.phone_number = r.phone_number
          and c.operator = r.operator and c.asked_at > clock_timestamp() - interval '24 hours' and c.answer is not null)
      order by row_number`,
    [applicationId, batchId],
  )
  return rows
}
