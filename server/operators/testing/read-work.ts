import type { OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { type ClaimedWork, claimWork, type FreeSlots } from '../work/operator-work-store.ts'

type Key = { applicationId: string; transactionId: string }

export async function readWork(pool: Pool, { applicationId, transactionId }: Key): Promise<Record<string, unknown> | undefined> {
  const { rows } = await pool.query('select * from operator_work where application_id = $1 and transaction_id = $2', [
    applicationId,
    transactionId,
  ])
  return rows[0]
}

/** The attempts of a transaction in order, each as `kind outcome`. */
export async function readAttempts(pool: Pool, { applicationId, transactionId }: Key): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string; outcome: string | null }>(
    'select kind, outcome from all_operator_attempts where application_id = $1 and transaction_id = $2 order by number',
    [applicationId, transactionId],
  )
  return rows.map((row) => `${row.kind} ${row.outcome}`)
}

/** Claims due work of an operator in every lane, at most `slotsMax` in each. */
export function claimAll(queryable: Queryable, operator: OperatorCode, slotsMax: number, leaseMs: number): Promise<ClaimedWork[]> {
  const slots = { operator, route: null, slotsMax, leaseMs, enquiryDelayMs: undefined }
  const lanes: FreeSlots[] = [...TRANSACTION_TYPES, 'begun' as const].map((lane) => ({ ...slots, lane }))
  return claimWork(queryable, lanes, leaseMs)
}
