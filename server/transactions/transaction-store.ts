import type { TransactionStatus } from '#lib/transaction-status.ts'
import { encodeRows, type RowOf } from '#server/database/json-row.ts'
import type { Queryable } from '#server/database/pool.ts'
import { APPLY_TRANSITIONS, START_TRANSACTIONS } from './sql-functions.ts'

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
