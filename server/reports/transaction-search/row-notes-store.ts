import { DECISION_COUNTS } from '#server/approvals/may-decide.ts'
import type { Queryable } from '#server/database/pool.ts'

export type RowNote = {
  transactionId: string
  unconfirmedSince: Date | null
  approvalsDone: number | null
  approvalsNeeded: number | null
  makerName: string | null
}

/**
 * The notes of the transactions of one page, by their ids: since when the outcome at the operator is unknown, how many approvals there
 * are, and who made them. A few index look-ups per row.
 */
export async function selectRowNotes(queryable: Queryable, applicationId: string, transactionIds: readonly string[]): Promise<RowNote[]> {
  const { rows } = await queryable.query<RowNote>({
    name: 'select_row_notes',
    text: `select t.transaction_id as "transactionId", w.unconfirmed_since as "unconfirmedSince", p.name as "makerName",
        case when i.transaction_id is null then null else (select count(*)::integer from approval_decisions d
          where d.application_id = $1 and d.transaction_id = t.transaction_id and d.decision = 'validated'
            and ${DECISION_COUNTS}) end as "approvalsDone",
        (select sum(s)::integer from unnest(i.steps) as s) as "approvalsNeeded"
      from unnest($2::uuid[]) as wanted (transaction_id)
      join transactions t on t.application_id = $1 and t.transaction_id = wanted.transaction_id
      left join operator_work w on w.application_id = $1 and w.transaction_id = t.transaction_id
      left join approval_items i on i.application_id = $1 and i.transaction_id = t.transaction_id
      left join people p on p.person_id = t.maker_id`,
    values: [applicationId, transactionIds],
  })
  return rows
}
