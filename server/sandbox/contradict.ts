import type { TrxClient } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { settleFinalResult } from '#server/operators/settle-final-result.ts'
import { type TransitionItem, transition } from '#server/transactions/transition.ts'
import { poolOfOne } from './pool-of-one.ts'
import { confirmContradiction } from './seed-store.ts'
import type { LiveTransaction } from './simulation.ts'

/**
 * Lets the operator report a success for a transaction that it reported as failed before, and repeat it when queried. The service records
 * both.
 */
export async function contradict(trx: TrxClient, { item }: LiveTransaction): Promise<void> {
  const { applicationId, transactionId, operator } = item
  const settler = {
    settle: async (move: TransitionItem) => (await transition(trx, [move]))[0],
    addFinalListener: () => undefined,
    drain: () => Promise.resolve(),
  }
  await settleFinalResult(
    { pool: poolOfOne(trx), settler, logger: createLogger('silent') },
    { applicationId, transactionId, operator, operatorToken: null, operatorReference: null, source: 'query' },
    { kind: 'succeeded', exchange: { httpStatus: 200, answer: '{"status":"SUCCESS"}' } },
  )
  await confirmContradiction(trx, applicationId, transactionId)
}
