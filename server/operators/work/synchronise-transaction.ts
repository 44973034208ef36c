import { isFinalStatus } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import { callerAddress } from '#server/caller-address.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import { refusedForFunds } from '../answer-table.ts'
import type { QueryOutcome } from '../connector.ts'
import type { ForcedEnquiries } from './forced-enquiries.ts'
import { type OpenWork, takeAttemptNumber } from './operator-work-store.ts'
import { settleFinalResult } from './settle-final-result.ts'

/** `busy`: the operator was not queried, because too many queries are waiting for it. */
export type SynchroniseFailure = 'not_found' | 'operator_unavailable' | 'busy' | { code: 'throttled'; retryAfterMs: number }

type SynchroniseRequest = { applicationId: string; transactionId: string; actor: AuditActor }

/**
 * chekTransactionStatus: queries the operator now and stores a final result. Final and waiting transactions are returned
 * unchanged. If the operator is down or silent, nothing changes. A call while the operator is being queried about the same
 * transaction shares that answer. A dispatcher may be handling the same row: the second of the two finds it moved, and
 * changes nothing.
 */
export async function synchroniseTransaction(
  forcedEnquiries: ForcedEnquiries,
  request: SynchroniseRequest,
): Promise<Result<Transaction, SynchroniseFailure>> {
  const { applicationId, transactionId } = request
  const transaction = await findTransaction(forcedEnquiries.pool, applicationId, transactionId)
  if (!transaction) return err('not_found')
  if (isFinalStatus(transaction.status) || transaction.status === 'PENDING_APPROVAL') return ok(transaction)
  // Here and not in the recorder, which stores the queries of many callers together.
  const caller = { actor: request.actor, address: callerAddress() ?? null }
  const queried = await forcedEnquiries.run(transaction, request.actor, () => query(forcedEnquiries, transaction, caller))
  if (!queried.ok) return queried
  if (!queried.value) return err('operator_unavailable')
  const stored = await findTransaction(forcedEnquiries.pool, applicationId, transactionId)
  return stored ? ok(stored) : err('not_found')
}

/** False if the operator returned no usable answer. */
async function query(
  forcedEnquiries: ForcedEnquiries,
  transaction: Transaction,
  caller: { actor: AuditActor; address: string | null },
): Promise<boolean> {
  const { applicationId, transactionId, operator, type, amountMinor, currency, phoneNumber } = transaction
  const connector = forcedEnquiries.connectors.get(operator)
  if (!connector) return false
  // There is no operator to query: the stored state is the answer.
  if (connector.hasNoQueries && type === 'COLLECT') return true
  const work = await takeAttemptNumber(forcedEnquiries.pool, applicationId, transactionId)
  if (!work) return true
  if (work.state === 'unfunded') {
    await forcedEnquiries.settler.settle(refusedForFunds(transaction))
    return true
  }
  // The operator accepts no status enquiry yet, and its answer could be wrong: the stored state is the answer.
  if (work.isEarly) return true
  const startedAtMs = performance.now()
  const { operatorReference, operatorReferenceOther, operatorToken, number } = work
  const outcome = await connector.query({
    reference: transactionId,
    applicationId,
    operator,
    type,
    amountMinor,
    currency,
    phoneNumber,
    operatorReference: operatorReference ?? undefined,
    operatorToken: operatorToken ?? undefined,
  })
  forcedEnquiries.onOutcome?.(outcome.kind)
  await forcedEnquiries.recorder.submit({
    applicationId,
    transactionId,
    operator,
    ...caller,
    number,
    outcome: outcome.kind,
    httpStatus: outcome.exchange.httpStatus,
    answer: outcome.exchange.answer,
    durationMs: Math.round(performance.now() - startedAtMs),
    needsQuery: needsQuery(work, outcome),
  })
  if (outcome.kind === 'succeeded' || outcome.kind === 'failed')
    await settleFinalResult(
      forcedEnquiries,
      { applicationId, transactionId, operator, operatorToken, operatorReference, operatorReferenceOther, source: 'query' },
      outcome,
    )
  return outcome.kind !== 'unknown'
}

/** The state of the row does not fit the answer: the dispatcher should query soon, because only its queries move the row. */
function needsQuery(work: OpenWork, outcome: QueryOutcome): boolean {
  return work.state === 'unconfirmed' && (outcome.kind === 'pending' || outcome.kind === 'not_found')
}
