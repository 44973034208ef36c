import { ok } from '#lib/result.ts'
import { type AuditEntry, appendAuditEntries } from '#server/audit/append-audit.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import { type Batcher, createBatcher } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { isAboutItems } from './answer-recorder.ts'
import { type ForcedQuery, storeForcedQueries } from './operator-work-store.ts'

/** A forced query that ended. */
export type FinishedForcedQuery = ForcedQuery & { operator: string; actor: AuditActor; address: string | null }

/**
 * Stores forced queries together with their audit entries: the caller, the transaction and the operator's outcome.
 * In batches, so that many at once hold an application's audit chain once.
 */
export function createForcedQueryRecorder(pool: Pool, logger: Pick<Logger, 'error'>): Batcher<FinishedForcedQuery, null> {
  return createBatcher<FinishedForcedQuery, null>({
    key: (query) => `${query.applicationId}${query.transactionId}${query.number}`,
    async run(queries) {
      try {
        await record(pool, queries)
      } catch (error) {
        const [query] = queries
        if (queries.length > 1 || !query || !isAboutItems(error)) throw error
        reportUnexpected('operators: record forced query', error, {
          logger,
          transactionId: query.transactionId,
          message: 'The answer to a forced query is recorded without its text',
        })
        await record(pool, [{ ...query, answer: 'The answer could not be recorded', httpStatus: null }])
      }
      return queries.map(() => null)
    },
    // The limits bound the queries in progress, and none of their answers may be refused.
    queueMax: Number.MAX_SAFE_INTEGER,
    batchMax: 64,
    slots: 1,
    isItemError: isAboutItems,
  })
}

async function record(pool: Pool, queries: FinishedForcedQuery[]): Promise<void> {
  await withTransaction(pool, async (trx) => {
    await storeForcedQueries(trx, queries)
    await appendAuditEntries(trx, queries.map(toAuditEntry))
    return ok(null)
  })
}

function toAuditEntry({ applicationId, transactionId, actor, address, operator, outcome, httpStatus }: FinishedForcedQuery): AuditEntry {
  const details = { operator, outcome, httpStatus }
  return { applicationId, actor, address, action: 'transaction.synchronised', subject: transactionId, details }
}
