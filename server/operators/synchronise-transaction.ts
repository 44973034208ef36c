import { err, ok, type Result } from '#lib/result.ts'
import { isFinalStatus } from '#lib/transaction-status.ts'
import type { Pool } from '../database/pool.ts'
import { findTransaction } from '../transactions/find-transaction.ts'
import type { Settler } from '../transactions/settle.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { storableAnswer } from './answer-recorder.ts'
import type { Connectors, QueryOutcome } from './connector.ts'
import { finalMove, refusedForFunds } from './operator-result.ts'
import { type OpenWork, recordForcedQuery, takeAttemptNumber } from './operator-work-store.ts'

export type SynchroniseDeps = { pool: Pool; settler: Settler; connectors: Connectors }

/**
 * chekTransactionStatus: asks the operator now and stores what it says (DESIGN 5). Final and waiting transactions are
 * returned as they are. An operator that is down or silent leaves everything untouched. A dispatcher may be handling the same
 * row: whoever comes second finds it moved, and changes nothing.
 */
export async function synchroniseTransaction(
  deps: SynchroniseDeps,
  applicationId: string,
  transactionId: string,
): Promise<Result<Transaction, 'not_found' | 'operator_unavailable'>> {
  const transaction = await findTransaction(deps.pool, applicationId, transactionId)
  if (!transaction) return err('not_found')
  if (isFinalStatus(transaction.status) || transaction.status === 'PENDING_APPROVAL') return ok(transaction)
  const work = await takeAttemptNumber(deps.pool, applicationId, transactionId)
  if (work?.state === 'refused') await deps.settler.settle(refusedForFunds(transaction))
  else if (work && !(await ask(deps, transaction, work))) return err('operator_unavailable')
  const stored = await findTransaction(deps.pool, applicationId, transactionId)
  return stored ? ok(stored) : err('not_found')
}

/** False when the operator gave no usable answer. */
async function ask(deps: SynchroniseDeps, transaction: Transaction, work: OpenWork): Promise<boolean> {
  const connector = deps.connectors.get(transaction.operator)
  if (!connector) return false
  const { applicationId, transactionId, operator, type } = transaction
  const startedAtMs = performance.now()
  const outcome = await connector.query({
    reference: transactionId,
    applicationId,
    operator,
    type,
    operatorReference: work.operatorReference ?? undefined,
    operatorToken: work.operatorToken ?? undefined,
  })
  await recordForcedQuery(deps.pool, {
    applicationId,
    transactionId,
    number: work.number,
    outcome: outcome.kind,
    httpStatus: outcome.exchange.httpStatus,
    answer: storableAnswer(outcome.exchange.answer),
    durationMs: Math.round(performance.now() - startedAtMs),
    isNews: isNews(work, outcome),
  })
  if (outcome.kind === 'succeeded' || outcome.kind === 'failed') {
    await deps.settler.settle(finalMove({ applicationId, transactionId, operatorToken: work.operatorToken }, outcome))
  }
  return outcome.kind !== 'unknown'
}

/** The state of the row does not fit what the operator says: the dispatcher should look soon. Here it is only read. */
function isNews(work: OpenWork, outcome: QueryOutcome): boolean {
  return work.state === 'unconfirmed' && (outcome.kind === 'pending' || outcome.kind === 'not_found')
}
