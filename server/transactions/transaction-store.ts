import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from './transaction.ts'

export type IntakeRow = {
  place: number
  outcome: 'existing' | 'waiting'
  transaction_id: string
  same_content: boolean
  status: Transaction['status']
  amount_minor: bigint
  fee_system_minor: bigint
  fee_app_minor: bigint
  pay_token: string
}

/** Runs intake_batch (sql/intake-batch.sql): `applicationIds` distinct, `itemsJson` an array of intake items. */
export async function callIntakeBatch(queryable: Queryable, applicationIds: string[], itemsJson: string): Promise<IntakeRow[]> {
  const { rows } = await queryable.query<IntakeRow>({
    name: 'intake_batch',
    text: 'select * from intake_batch($1, $2)',
    values: [applicationIds, itemsJson],
  })
  return rows
}

export type TransitionRow = { place: number; is_moved: boolean; status: Transaction['status']; version: number }

/** Runs transition_batch (sql/transition-batch.sql): `applicationIds` distinct, `itemsJson` an array of moves. */
export async function callTransitionBatch(queryable: Queryable, applicationIds: string[], itemsJson: string): Promise<TransitionRow[]> {
  const { rows } = await queryable.query<TransitionRow>({
    name: 'transition_batch',
    text: 'select * from transition_batch($1, $2)',
    values: [applicationIds, itemsJson],
  })
  return rows
}
