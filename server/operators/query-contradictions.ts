import { isFinalStatus, type TransactionStatus } from '#lib/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { findTransaction } from '#server/transactions/transaction-queries.ts'
import type { Connectors, QueryOutcome } from './connector.ts'
import { type ContradictionQuery, claimContradictionQueries, storeContradictionAnswer, storeContradictions } from './contradiction-store.ts'

/** Queries to one operator per run: thousands of contradictions must not cause thousands of queries. */
const PER_OPERATOR_MAX = 10
/** An operator that returns no usable answer is queried again after this pause, three times in all. */
const PAUSE_MS = 5 * 60_000
const TRIES_MAX = 3

type ContradictionDeps = {
  pool: Pool
  connectors: Connectors
  logger: Logger
  /** Called with the outcome of each query, for the metrics. */
  onOutcome?(outcome: string): void
}

/**
 * Queries the operators about the contradictions that they sent, once each, and stores their answers. The results stay as
 * they are. Run on a schedule; returns how many queries were made.
 */
export async function queryContradictions(deps: ContradictionDeps): Promise<number> {
  const due = await claimContradictionQueries(deps.pool, deps.connectors.operators(), PER_OPERATOR_MAX, PAUSE_MS)
  await Promise.all(
    due.map((query) =>
      queryOne(deps, query).catch((error: unknown) =>
        reportUnexpected('operators: contradiction', error, {
          logger: deps.logger,
          transactionId: query.transactionId,
          message: 'The operator could not be queried about a contradiction; it is tried again',
        }),
      ),
    ),
  )
  return due.length
}

async function queryOne({ pool, connectors, logger, onOutcome }: ContradictionDeps, query: ContradictionQuery): Promise<void> {
  const { applicationId, transactionId, operator, type, operatorToken } = query
  const connector = connectors.get(operator)
  if (!connector) return
  const outcome = await connector.query({
    reference: transactionId,
    applicationId,
    operator,
    type,
    operatorToken: operatorToken ?? undefined,
  })
  onOutcome?.(`contradiction ${outcome.kind}`)
  if (outcome.kind === 'unknown' && query.tries < TRIES_MAX) return
  await storeContradictionAnswer(pool, { applicationId, transactionId, said: outcome.kind, ...outcome.exchange })
  const transaction = await findTransaction(pool, applicationId, transactionId)
  if (!transaction || confirms(transaction.status, outcome)) return
  // Nothing is stored yet if an unverified callback led to this query.
  if (outcome.kind === 'succeeded' || outcome.kind === 'failed') {
    const { answer } = outcome.exchange
    const row = { item_index: 0, application_id: applicationId, transaction_id: transactionId, operator, answer }
    await storeContradictions(pool, [{ ...row, source: 'query', said: outcome.kind }])
  }
  logger.error({ transactionId, stored: transaction.status, said: outcome.kind }, 'The operator does not confirm the stored result')
}

function confirms(status: TransactionStatus, outcome: QueryOutcome): boolean {
  return isFinalStatus(status) && outcome.kind === (status === 'SUCCESS' ? 'succeeded' : 'failed')
}
