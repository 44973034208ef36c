import { err, ok, type Result } from '#lib/result.ts'
import { appendAuditEntries } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { TrxClient } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import { insertReversal } from './reversal-store.ts'

type Ask = {
  /** The application whose people agreed on it. */
  applicationId: string
  changeId: string
  payment: Pick<Transaction, 'applicationId' | 'transactionId' | 'operator' | 'currency' | 'amountMinor'>
  reason: string
  proposedBy: string
  actor: PersonCommandActor
}

/**
 * Stores that two people want the operator to take a payment back, in the transaction that records the confirmation. The operator is called after its
 * commit (carry-out-reversals.ts). `reversal_asked`: it is taken back already.
 */
export async function askReversal(
  trx: TrxClient,
  { applicationId, changeId, payment, reason, proposedBy, actor }: Ask,
): Promise<Result<void, 'reversal_asked'>> {
  const { applicationId: ledger, transactionId, operator, currency, amountMinor } = payment
  const row = { applicationId: ledger, transactionId, reversalId: changeId, changeApplicationId: applicationId, operator }
  if (!(await insertReversal(trx, { ...row, confirmedBy: actor.id }))) return err('reversal_asked')
  const details = { changeId, ledger, operator, currency, amountMinor: String(amountMinor), reason, proposedBy }
  const asked = { actor, action: 'reversal.asked', subject: transactionId, details } as const
  // In both chains: that of the books, and that of the people.
  await appendAuditEntries(
    trx,
    [...new Set([ledger, applicationId])].map((chain) => ({ applicationId: chain, ...asked })),
  )
  return ok(undefined)
}
