import type { OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type ClaimedWork, claimWork, type FreeSlots } from '../work/operator-work-store.ts'

/** Claims due work of an operator in every lane, at most `slotsMax` in each. */
export function claimAll(queryable: Queryable, operator: OperatorCode, slotsMax: number, leaseMs: number): Promise<ClaimedWork[]> {
  const slots = { operator, route: null, slotsMax, leaseMs, enquiryDelayMs: undefined }
  const lanes: FreeSlots[] = [...TRANSACTION_TYPES, 'begun' as const].map((lane) => ({ ...slots, lane }))
  return claimWork(queryable, lanes, leaseMs)
}
