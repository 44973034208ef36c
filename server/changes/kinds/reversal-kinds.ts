import { z } from 'zod'
import { isReversible } from '#lib/operators/reversals.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import { readTerms, runsInstallation } from '#server/applications/terms-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listAdjustments, readAdjustedBalances } from '#server/ledger/ledger-store.ts'
import { hasOpenException } from '#server/reconciliation/exceptions/exception-store.ts'
import { askReversal } from '#server/reconciliation/reversals/ask-reversal.ts'
import { endReversal } from '#server/reconciliation/reversals/end-reversal.ts'
import { findReversal, readRefundedMinor } from '#server/reconciliation/reversals/reversal-store.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import { defineKind } from '../change-kind.ts'

/** `ledger`: the application of the payment. */
const about = { ledger: z.uuid(), transactionId: z.uuid() }

/** The payment, if nothing keeps it from being taken back now. */
async function findReversible(
  queryable: Queryable,
  applicationId: string,
  { ledger, transactionId }: { ledger: string; transactionId: string },
): Promise<Result<Transaction, string>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  const transaction = await findTransaction(queryable, ledger, transactionId)
  if (!transaction) return err('unknown_transaction')
  if (transaction.finalAt === null) return err('not_final')
  if (!isReversible(transaction.operator, transaction.type)) return err('not_reversible')
  const adjusted = (await listAdjustments(queryable, ledger, [transactionId])).get(transactionId)
  if (adjusted?.some((kind) => kind === 'reverse' || kind === 'late')) return err('already_adjusted')
  const reversal = await findReversal(queryable, ledger, transactionId)
  if (reversal && reversal.state !== 'refused') return err('reversal_asked')
  if ((await readRefundedMinor(queryable, ledger, transactionId)) > 0n) return err('has_refunds')
  if (!(await hasOpenException(queryable, applicationId, `transaction ${ledger} ${transactionId}`))) return err('no_exception')
  return ok(transaction)
}

/** Whether the balance is there to pay for it: what the books reverse here leaves the operator because of us, not before. */
async function isCovered(queryable: Queryable, transaction: Transaction): Promise<boolean> {
  if (transaction.status !== 'SUCCESS' || transaction.type === 'DEPOSIT') return true
  const balances = await readAdjustedBalances(queryable, { ...transaction, kind: 'reverse' })
  return balances !== undefined && balances.after.collectMinor >= 0n
}

/** The operator takes a payment back: it is called once this is committed. One reversal of a payment at a time, and one that is carried out. */
const ask = defineKind({
  schema: z.strictObject({ ...about, reason: text(200).min(1) }),
  isRelative: true,
  ledgerOf: ({ ledger }) => ledger,
  subjectOf: ({ ledger, transactionId }) => `${ledger} ${transactionId}`,
  async read(queryable, applicationId, payload) {
    const found = await findReversible(queryable, applicationId, payload)
    if (!found.ok) return found
    const { operator, amountMinor, transactionId } = found.value
    const books = await readTerms(queryable, payload.ledger)
    return ok({
      before: { operator },
      after: { ledger: books?.name ?? null, operator, transactionId, amountMinor: String(amountMinor), reversalReason: payload.reason },
      obstacle: (await isCovered(queryable, found.value)) ? undefined : 'balance_too_low',
    })
  },
  async apply(trx, { applicationId, changeId, payload, actor, proposedBy }): Promise<Result<void, string>> {
    const found = await findReversible(trx, applicationId, payload)
    if (!found.ok) return found
    return askReversal(trx, { applicationId, changeId, payment: found.value, reason: payload.reason, proposedBy, actor })
  },
})

/** People record from the operator's statement how a reversal ended whose answer was lost and that is not repeated automatically. */
const end = defineKind({
  schema: z.strictObject({ ...about, isDone: z.boolean(), evidence: text(200).min(1) }),
  isRelative: true,
  ledgerOf: ({ ledger }) => ledger,
  subjectOf: ({ ledger, transactionId }) => `${ledger} ${transactionId}`,
  async read(queryable, applicationId, { ledger, transactionId, isDone, evidence }) {
    if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
    const transaction = await findTransaction(queryable, ledger, transactionId)
    if (!transaction) return err('unknown_transaction')
    if (!(await findReversal(queryable, ledger, transactionId))?.waitsForPeople) return err('no_lost_answer')
    const { operator, amountMinor } = transaction
    return ok({
      before: { operator },
      after: { operator, transactionId, amountMinor: String(amountMinor), reversalIsDone: isDone, evidence },
    })
  },
  async apply(trx, { payload, actor }): Promise<Result<void, string>> {
    const { ledger, transactionId, isDone, evidence } = payload
    const reversal = await findReversal(trx, ledger, transactionId)
    if (!reversal?.waitsForPeople) return err('no_lost_answer')
    const ended = await endReversal(trx, reversal, { refusal: isDone ? null : 'people', reason: evidence, answered: null, actor })
    return ended ? ok(undefined) : err('no_lost_answer')
  },
})

export const REVERSAL_KINDS = { 'reversal.ask': ask, 'reversal.end': end }
