import { appendAuditEntries } from '#server/audit/append-audit.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { postAdjustment } from '#server/ledger/adjustments.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { closeAdjusted } from '../exceptions/work-on-exception.ts'
import { type ReversalEnd, type ReversalKey, type StoredReversal, storeReversalEnd } from './reversal-store.ts'

/** A reversal, with the change that two people confirmed. */
export type AgreedReversal = ReversalKey & Pick<StoredReversal, 'changeApplicationId' | 'confirmedBy'>

/**
 * Ends a reversal that was asked for, in the caller's transaction. Where the money is back, a success is reversed in the books in the name of the person who
 * confirmed it, and the exception is closed as adjusted; a failure was never booked, so nothing is posted. The status of the payment stays. Returns false if
 * it has ended meanwhile.
 */
export async function endReversal(trx: TrxClient, reversal: AgreedReversal, end: ReversalEnd & { actor: AuditActor }): Promise<boolean> {
  const { applicationId, transactionId, reversalId, changeApplicationId, confirmedBy } = reversal
  await lockCounters(trx, applicationId)
  if (!(await storeReversalEnd(trx, reversal, end))) return false
  const isDone = end.refusal === null
  if (isDone) await reverseInBooks(trx, reversal)
  const closed = isDone
    ? await closeAdjusted(trx, {
        applicationId: changeApplicationId,
        actor: { id: confirmedBy },
        subject: `transaction ${applicationId} ${transactionId}`,
        changeId: reversalId,
      })
    : undefined
  const { actor, refusal, reason } = end
  const details = {
    changeId: reversalId,
    ledger: applicationId,
    ...(refusal === null ? { outcome: 'done' } : { outcome: 'refused', refusal }),
    reason,
  }
  const ended = { actor, action: 'reversal.ended', subject: transactionId, details } as const
  // In both chains: that of the books, and that of the people.
  await appendAuditEntries(trx, [
    ...[...new Set([applicationId, changeApplicationId])].map((chain) => ({ applicationId: chain, ...ended })),
    ...(closed ? [{ applicationId: changeApplicationId, actor, ...closed }] : []),
  ])
  return true
}

async function reverseInBooks(trx: TrxClient, reversal: AgreedReversal): Promise<void> {
  const { applicationId, transactionId, reversalId, changeApplicationId, confirmedBy } = reversal
  const transaction = await findTransaction(trx, applicationId, transactionId)
  if (transaction?.status !== 'SUCCESS') return
  const { operator, currency, type, amountMinor, feeSystemMinor, feeAppMinor } = transaction
  const posted = await postAdjustment(trx, {
    ...{ applicationId, subjectId: transactionId, kind: 'reverse', operator, currency, type, amountMinor, feeSystemMinor, feeAppMinor },
    actorId: confirmedBy,
    reason: '',
    change: { applicationId: changeApplicationId, changeId: reversalId },
  })
  // Neither can be: a reversal raises a deposit balance, and no other one is posted while this one is asked for.
  if (!posted.ok) throw new Error(`The reversal ${reversalId} cannot be posted: ${posted.error}`)
}
