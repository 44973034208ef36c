import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { IS_BATCH_ROW, mayDecide } from './may-decide.ts'

/** How many transactions outside batches a person may decide now, counted up to `limit`, and when the oldest of them was created. */
export async function countWaitingFor(
  queryable: Queryable,
  applicationId: string,
  personId: string,
  limit: number,
): Promise<{ count: number; oldestAt: Date | null }> {
  const rows = await runQuery<{ count: number; oldestAt: Date | null }>(
    queryable,
    sql`select count(*)::integer as count, min(w.created_at) as "oldestAt" from (
      select t.created_at from transactions t
        join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
      where t.application_id = ${applicationId} and t.status = 'PENDING_APPROVAL' and not ${IS_BATCH_ROW}
        and ${mayDecide(sql`${applicationId}`, sql`${personId}`)}
      order by t.sequence limit ${limit}) as w`,
  )
  return rows[0] ?? { count: 0, oldestAt: null }
}
