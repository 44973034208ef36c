import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type AuditEntry, appendAuditEntries } from '#server/audit/append-audit.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import { createFairLimiter } from '#server/credentials/fair-limiter.ts'
import { type Batcher, createBatcher } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Logger } from '#server/logger.ts'
import { createRateLimit } from '#server/rate-limit.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import type { Settler } from '#server/transactions/transition.ts'
import type { Connectors } from '../connector.ts'
import { type ForcedEnquiry, storeForcedEnquiries } from './operator-work-store.ts'
import { isAboutItems } from './settle-final-result.ts'
import { makeQueriesDue } from './work-schedule-store.ts'

/** Forced enquiries in progress at one operator, per process, and of those the ones of one caller. */
export const FORCED_CALLS_MAX = 32
const PER_CALLER_MAX = 16
/** The longest wait for a slot: the call itself may then still take its ten seconds. */
const WAIT_MS_MAX = 2_000
/** Queries that wait at one operator, and of those the ones of one caller. */
const WAITING_MAX = 1_024
const WAITING_PER_CALLER_MAX = 128
/** The limit of one caller: a long list at once after an outage, then steadily. */
const BURST = 200
const PER_SECOND = 10

type ForcedEnquiryRefusal = 'busy' | { code: 'throttled'; retryAfterMs: number }

/** The dependencies of synchroniseTransaction; one per process. */
export type ForcedEnquiries = {
  pool: Pool
  settler: Settler
  connectors: Connectors
  logger: Logger
  recorder: Batcher<FinishedForcedEnquiry, null>
  onOutcome?(outcome: string): void
  onContradiction?(): void
  /**
   * Runs `query` under the limits of its caller: an application's programs share one limit and each person has their own, so that a
   * program that floods does not block people. If a query about the same transaction is in progress, its answer is shared, and the
   * new one counts against no limit.
   */
  run(
    transaction: Pick<Transaction, 'applicationId' | 'transactionId' | 'operator'>,
    actor: AuditActor,
    query: () => Promise<boolean>,
  ): Promise<Result<boolean, ForcedEnquiryRefusal>>
  /** Runs `query` in one of the slots of `caller` at an operator, without the rate limit: for commands that bound their queries themselves. */
  runOne<Value>(operator: OperatorCode, caller: string, query: () => Promise<Value>): Promise<Result<Value, 'busy'>>
  /** Closes the connections and resolves when every answer is recorded. Calls that are in progress end as unknown. */
  close(): Promise<void>
}

export type ForcedEnquiriesOptions = {
  pool: Pool
  settler: Settler
  /** With connections of their own (FORCED_CALLS_MAX each): a query that waits here never delays a submission. */
  connectors: Connectors & { close(): Promise<void> }
  logger: Logger
  /** Called with the outcome of each query, for the metrics. */
  onOutcome?(outcome: string): void
  limits?: Partial<{ callsMax: number; perCallerMax: number; waitMsMax: number; burst: number; perSecond: number }>
  nowMs?(): number
}

export function createForcedEnquiries(options: ForcedEnquiriesOptions): ForcedEnquiries {
  const { pool, settler, connectors, logger, onOutcome, limits = {} } = options
  const limitersByOperator = new Map<OperatorCode, ReturnType<typeof createFairLimiter>>()
  const inProgress = new Map<string, Promise<Result<boolean, ForcedEnquiryRefusal>>>()
  const recorder = createForcedEnquiryRecorder(pool, logger)
  const rate = createRateLimit({
    burst: limits.burst ?? BURST,
    perSecond: limits.perSecond ?? PER_SECOND,
    nowMs: options.nowMs ?? (() => performance.now()),
  })

  async function runFor<Value>(operator: OperatorCode, caller: string, query: () => Promise<Value>): Promise<Result<Value, 'busy'>> {
    let limiter = limitersByOperator.get(operator)
    if (!limiter) {
      limiter = createFairLimiter({
        concurrency: limits.callsMax ?? FORCED_CALLS_MAX,
        pathMax: limits.perCallerMax ?? PER_CALLER_MAX,
        levelMax: [WAITING_MAX, WAITING_PER_CALLER_MAX],
        waitMaxMs: limits.waitMsMax ?? WAIT_MS_MAX,
      })
      limitersByOperator.set(operator, limiter)
    }
    const result = await limiter.run({ isReserved: false, path: [caller], paces: [] }, async () => ok(await query()))
    return result ?? err('busy')
  }

  return {
    pool,
    settler,
    connectors,
    logger,
    recorder,
    onOutcome,
    onContradiction: () => onOutcome?.('contradicting'),
    async run({ applicationId, transactionId, operator }, actor, query) {
      const key = `${applicationId} ${transactionId}`
      const joined = inProgress.get(key)
      if (joined) return joined
      const caller = actor.kind === 'person' ? `${applicationId} ${actor.id}` : applicationId
      const { retryAfterMs } = rate.take(caller)
      if (retryAfterMs !== undefined) return err({ code: 'throttled', retryAfterMs })
      const running = runFor(operator, caller, query).finally(() => inProgress.delete(key))
      inProgress.set(key, running)
      return running
    },
    runOne: runFor,
    async close() {
      // First: an operator that hangs must not delay the end of the process. Its calls end as unknown.
      await connectors.close()
      await Promise.allSettled(inProgress.values())
      await recorder.drain()
    },
  }
}

/** A forced enquiry that ended. */
type FinishedForcedEnquiry = ForcedEnquiry & { operator: string; actor: AuditActor; address: string | null }

/**
 * Stores forced enquiries together with their audit entries: the caller, the transaction and the operator's outcome.
 * In batches, so that many at once hold an application's audit chain once.
 */
function createForcedEnquiryRecorder(pool: Pool, logger: Pick<Logger, 'error'>): Batcher<FinishedForcedEnquiry, null> {
  return createBatcher<FinishedForcedEnquiry, null>({
    key: (query) => `${query.applicationId}${query.transactionId}${query.number}`,
    async run(queries) {
      try {
        await record(pool, queries)
      } catch (error) {
        const [query] = queries
        if (queries.length > 1 || !query || !isAboutItems(error)) throw error
        reportUnexpected('operators: record forced enquiry', error, {
          logger,
          transactionId: query.transactionId,
          message: 'The answer to a forced enquiry is recorded without its text',
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

async function record(pool: Pool, queries: FinishedForcedEnquiry[]): Promise<void> {
  await withTransaction(pool, async (trx) => {
    await storeForcedEnquiries(trx, queries)
    await appendAuditEntries(trx, queries.map(toAuditEntry))
    return ok(null)
  })
}

function toAuditEntry({ applicationId, transactionId, actor, address, operator, outcome, httpStatus }: FinishedForcedEnquiry): AuditEntry {
  const details = { operator, outcome, httpStatus }
  return { applicationId, actor, address, action: 'transaction.synchronised', subject: transactionId, details }
}

/**
 * Has the dispatcher query operators soon about transactions that are still open here, instead of at their next scheduled time: something else says that
 * they have ended. The dispatcher's limits hold, and the answer alone decides. Returns how many queries became due.
 */
export function querySoon(pool: Pool, transactions: readonly { applicationId: string; transactionId: string }[]): Promise<number> {
  return transactions.length === 0 ? Promise.resolve(0) : makeQueriesDue(pool, transactions)
}
