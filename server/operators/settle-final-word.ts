import type { OperatorCode } from '#lib/operators.ts'
import { isFinalStatus, TRANSITIONS } from '#lib/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Settler } from '#server/transactions/settle.ts'
import type { TransitionItem, TransitionOutcome } from '#server/transactions/transition.ts'
import { isAboutItems } from './answer-recorder.ts'
import type { FinalOutcome } from './connector.ts'
import { recordContradictions } from './contradiction-store.ts'
import { finalMove, plainMove } from './operator-result.ts'

export type SettleDeps = { pool: Pool; settler: Settler; logger: Logger; onContradiction?(): void }

/** The call that brought the final word. */
export type SettledCall = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  operatorToken: string | null
  source: 'submit' | 'query'
}

/**
 * Ends a transaction with the operator's final word. Where it ended before with the other result, nothing changes: the
 * contradiction is recorded for people, who have to talk to the operator.
 */
export async function settleFinalWord(deps: SettleDeps, call: SettledCall, outcome: FinalOutcome): Promise<void> {
  const move = finalMove(call, outcome)
  const found = await settle(deps, move)
  if (!found || found.isMoved || found.status === TRANSITIONS[move.event].to) return
  const { applicationId, transactionId, operator, source } = call
  deps.logger.error({ transactionId, stored: found.status, said: outcome.kind }, 'The operator contradicts the stored result')
  if (!isFinalStatus(found.status)) return
  deps.onContradiction?.()
  const { answer } = outcome.exchange
  await recordContradictions(deps.pool, [{ place: 0, app: applicationId, id: transactionId, operator, source, said: outcome.kind, answer }])
}

/** A result counts even where its wording cannot be stored. */
async function settle(deps: SettleDeps, move: TransitionItem): Promise<TransitionOutcome> {
  try {
    return await deps.settler.settle(move)
  } catch (error) {
    if (!isAboutItems(error)) throw error
    reportUnexpected('operators: record result', error, {
      logger: deps.logger,
      transactionId: move.transactionId,
      message: 'A result could not be stored with the text of the operator; it is stored without it',
    })
    return deps.settler.settle(plainMove(move))
  }
}
