import { err, ok, type Result } from '#lib/result.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { type AdjustedBalances, type AdjustmentRow, insertAdjustment, readAdjustedBalances } from './ledger-store.ts'

type AdjustFailure =
  | 'unknown_application'
  /** The deposit balance or the fees would fall below zero, or a concession would leave less than nothing in a balance. */
  | 'balance_too_low'
  | 'already_adjusted'

/**
 * Posts what two people agreed on about a transaction whose status is final, or takes fees out, in the caller's transaction: once for each
 * kind and subject. The status stays. The lock of the application's money is held from here to the end of that transaction. The caller writes
 * the audit entries.
 */
export async function postAdjustment(trx: TrxClient, row: AdjustmentRow): Promise<Result<void, AdjustFailure>> {
  if (!(await lockCounters(trx, row.applicationId))) return err('unknown_application')
  // A statement of its own after the lock: only a new snapshot sees what the previous holder committed.
  const balances = await readAdjustedBalances(trx, row)
  if (!balances) return err('unknown_application')
  if (!coversAdjustment(row.kind, balances)) return err('balance_too_low')
  return (await insertAdjustment(trx, row)) ? ok(undefined) : err('already_adjusted')
}

/**
 * Whether the balances cover an adjustment. A collect that is undone may leave the collect balance below zero, because its money has left the
 * operator: the application then owes it.
 */
export function coversAdjustment(
  kind: AdjustmentRow['kind'],
  { before, after }: { before: AdjustedBalances; after: AdjustedBalances },
): boolean {
  if (falls(before.depositMinor, after.depositMinor)) return false
  if (kind === 'fees_out') return !falls(before.feesMinor, after.feesMinor)
  return kind === 'reverse' || !falls(before.collectMinor, after.collectMinor)
}

function falls(beforeMinor: bigint, afterMinor: bigint): boolean {
  return afterMinor < 0n && afterMinor < beforeMinor
}
