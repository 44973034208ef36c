import type { BusinessTime } from '#lib/business-days.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { ApprovalFilter } from '#lib/schemas/approval-filter.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { decisionCondition, type QueueViewer } from './queue-store.ts'

/** The newest submitted batches among which decided ones are looked for. Older ones are in the list of batches. */
const SUBMITTED_MAX = 500
const LISTED_MAX = 50

/**
 * A batch on which somebody decided. `decidedAt` is the time of the last decision, `decidedBy` names each person once; amounts in
 * hundredths, as text.
 */
export type DecidedBatch = {
  batchId: string
  name: string
  makerId: string
  makerName: string
  createdAt: Date
  decidedAt: Date
  rowCount: number
  sums: { operator: OperatorCode; count: number; amountMinor: string }[]
  decidedBy: string[]
}

/** The batches of which a decision fits the filter's checker and days, the newest decision first. */
export function selectDecidedBatches(
  queryable: Queryable,
  { applicationId, businessZone }: QueueViewer & BusinessTime,
  filter: ApprovalFilter,
): Promise<DecidedBatch[]> {
  return runQuery<DecidedBatch>(
    queryable,
    sql`select b.batch_id as "batchId", b.name, b.maker_id as "makerId", m.name as "makerName", b.created_at as "createdAt",
      d.decided_at as "decidedAt", b.ready_count as "rowCount", b.sums, d.names as "decidedBy"
    from (select * from batches where application_id = ${applicationId} and submitted_at is not null
          order by created_at desc, batch_id desc limit ${SUBMITTED_MAX}) b
      join people m on m.person_id = b.maker_id
      cross join lateral (
        select max(w.last_at) as decided_at, array_agg(w.name order by w.first_at) as names, bool_or(w.is_fitting) as is_fitting from (
          select p.name, min(l.decided_at) as first_at, max(l.decided_at) as last_at,
            bool_or(${decisionCondition(filter, businessZone)}) as is_fitting
          from list_batch_decisions(b.application_id, b.batch_id) l join people p on p.person_id = l.checker_id group by p.person_id) w) d
    where d.is_fitting order by d.decided_at desc, b.batch_id limit ${LISTED_MAX}`,
  )
}
