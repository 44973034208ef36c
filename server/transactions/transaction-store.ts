import type { TransactionStatus } from '#lib/transaction-status.ts'
import { encodeRows, type RowOf, recordOf } from '#server/database/json-row.ts'
import type { Queryable } from '#server/database/pool.ts'
import { APPLY_TRANSITIONS, COMPARED_REQUEST, START_TRANSACTIONS } from './sql-functions.ts'

export type StartRow = RowOf<typeof START_TRANSACTIONS.item>

export type StartedRow = RowOf<
  typeof START_TRANSACTIONS.result,
  { outcome: 'created' | 'existing' | 'conflict'; status: TransactionStatus }
>

/** Runs start_transactions. `applicationIds` are distinct and sorted; the results are in no particular order. */
export async function callStartTransactions(queryable: Queryable, applicationIds: string[], items: StartRow[]): Promise<StartedRow[]> {
  const { rows } = await queryable.query<StartedRow>({
    name: 'start_transactions',
    text: 'select * from start_transactions($1, $2, $3)',
    values: [applicationIds, encodeRows(START_TRANSACTIONS.item, items), items.some((item) => item.bands !== null)],
  })
  return rows
}

/** Of these requests, the indexes of those under whose externalId the application has stored something else. */
export async function selectConflicts(
  queryable: Queryable,
  applicationId: string,
  requests: readonly RowOf<typeof COMPARED_REQUEST>[],
): Promise<number[]> {
  const { rows } = await queryable.query<{ index: number }>({
    name: 'select_conflicts',
    text: `select i.item_index as index from json_to_recordset($2) as i (${recordOf(COMPARED_REQUEST)})
      cross join lateral (select n.external_id, n as stored from transactions n
        where n.application_id = $1 and n.external_id >= i.external_id order by n.external_id limit 1) t
      where t.external_id = i.external_id
        and not is_same_request(t.stored, i.type, i.operator, i.customer_name, i.phone_number, i.amount_minor, i.webhook_url, i.source)
      order by i.item_index`,
    values: [applicationId, encodeRows(COMPARED_REQUEST, requests)],
  })
  return rows.map(({ index }) => index)
}

export type TransitionRow = RowOf<typeof APPLY_TRANSITIONS.item>

type AppliedRow = RowOf<typeof APPLY_TRANSITIONS.result, { status: TransactionStatus }>

/** Runs apply_transitions. `applicationIds` are distinct and sorted; the results are in no particular order. */
export async function callApplyTransitions(queryable: Queryable, applicationIds: string[], items: TransitionRow[]): Promise<AppliedRow[]> {
  const { rows } = await queryable.query<AppliedRow>({
    name: 'apply_transitions',
    text: 'select * from apply_transitions($1, $2)',
    values: [applicationIds, encodeRows(APPLY_TRANSITIONS.item, items)],
  })
  return rows
}
