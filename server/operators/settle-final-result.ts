import type { OperatorCode } from '#lib/operators.ts'
import { isFinalStatus, TRANSITIONS } from '#lib/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Settler } from '#server/transactions/settle.ts'
import type { TransitionItem, TransitionOutcome } from '#server/transactions/transition.ts'
import { isAboutItems } from './answer-recorder.ts'
import type { FinalOutcome } from './connector.ts'
import { storeContradictions } from './contradiction-store.ts'
import { finalMove, plainMove } from './operator-result.ts'

type SettleDeps = { pool: Pool; settler: Settler; logger: Logger; onContradiction?(): void }

/** The call that returned the final result. */
type SettledCall = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  operatorToken: string | null
  operatorReference: string | null
  source: 'submit' | 'query'
}

/**
 * Ends a transaction with the operator's final result. If it already ended with the other result, nothing changes: the
 * contradiction is stored for people, who have to contact the operator.
 */
export async function settleFinalResult(deps: SettleDeps, call: SettledCall, outcome: FinalOutcome): Promise<void> {
  const move = finalMove(call, outcome)
  const found = await settle(deps, move)
  if (!found || found.isMoved || found.status === TRANSITIONS[move.event].to) return
  const { applicationId, transactionId, operator, source } = call
  deps.logger.error({ transactionId, stored: found.status, said: outcome.kind }, 'The operator contradicts the stored result')
  if (!isFinalStatus(found.status)) return
  deps.onContradiction?.()
  const { answer } = outcome.exchange
  await storeContradictions(deps.pool, [
    { item_index: 0, application_id: applicationId, transaction_id: transactionId, operator, source, said: outcome.kind, answer },
  ])
}

/**
 * The same for the answer to a query, which is stored in the statement that ends the transaction. False if it did not end here, or if the
 * database refuses the text of the answer: the caller then records the answer apart, and calls settleFinalResult.
 */
export async function settleQueriedResult(
  deps: Pick<SettleDeps, 'settler'>,
  call: Omit<SettledCall, 'source'> & { number: number },
  outcome: FinalOutcome,
  durationMs: number,
): Promise<boolean> {
  const { httpStatus, answer: text } = outcome.exchange
  const answer = { number: call.number, outcome: outcome.kind, httpStatus, text, durationMs }
  try {
    return (await deps.settler.settle({ ...finalMove(call, outcome), answer }))?.isMoved ?? false
  } catch (error) {
    if (isAboutItems(error)) return false
    throw error
  }
}

/** A result counts even if its text cannot be stored. */
async function settle(deps: SettleDeps, move: TransitionItem): Promise<TransitionOutcome> {
  try {
    return await deps.settler.settle(move)
  } catch (error) {
    if (!isAboutItems(error)) throw error
    reportUnexpected('operators: record result', error, {
      logger: deps.logger,
      transactionId: move.transactionId,
      message: 'The text of a result could not be stored; the result is stored without it',
    })
    return deps.settler.settle(plainMove(move))
  }
}
