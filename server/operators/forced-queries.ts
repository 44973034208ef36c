import type { OperatorCode } from '#lib/operators.ts'
import { err, type Result } from '#lib/result.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import type { Batcher } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { createRateLimit } from '#server/rate-limit.ts'
import type { Settler } from '#server/transactions/settle.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'
import type { Connectors } from './connector.ts'
import { createForcedQueryRecorder, type FinishedForcedQuery } from './forced-query-recorder.ts'

/** Forced queries in progress at one operator, per process, and of those the ones of one caller. */
export const FORCED_CALLS_MAX = 32
const PER_CALLER_MAX = 16
/** The longest wait for a slot: the call itself may then still take its ten seconds. */
const WAIT_MS_MAX = 2_000
const WAITING_MAX = 128
/** The limit of one caller: a long list at once after an outage, then steadily. */
const BURST = 200
const PER_SECOND = 10

type ForcedQueryRefusal = 'busy' | { code: 'throttled'; retryAfterMs: number }

/** The dependencies of synchroniseTransaction; one per process. */
export type ForcedQueries = {
  pool: Pool
  settler: Settler
  connectors: Connectors
  logger: Logger
  recorder: Batcher<FinishedForcedQuery, null>
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
  ): Promise<Result<boolean, ForcedQueryRefusal>>
  /** Runs `query` in one of the slots of `caller` at an operator, without the rate limit: for commands that bound their queries themselves. */
  runOne<Value>(operator: OperatorCode, caller: string, query: () => Promise<Value>): Promise<Result<Value, 'busy'>>
  /** Closes the connections and resolves when every answer is recorded. Calls that are in progress end as unknown. */
  close(): Promise<void>
}

export type ForcedQueriesOptions = {
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

export function createForcedQueries(options: ForcedQueriesOptions): ForcedQueries {
  const { pool, settler, connectors, logger, onOutcome, limits = {} } = options
  const limitsByOperator = new Map<OperatorCode, ConcurrencyLimit>()
  const underWay = new Map<string, Promise<Result<boolean, ForcedQueryRefusal>>>()
  const recorder = createForcedQueryRecorder(pool, logger)
  const rate = createRateLimit({
    burst: limits.burst ?? BURST,
    perSecond: limits.perSecond ?? PER_SECOND,
    nowMs: options.nowMs ?? (() => performance.now()),
  })

  function limitOf(operator: OperatorCode): ConcurrencyLimit {
    const known = limitsByOperator.get(operator)
    if (known) return known
    const limit = createConcurrencyLimit({
      slotsMax: limits.callsMax ?? FORCED_CALLS_MAX,
      perKeyMax: limits.perCallerMax ?? PER_CALLER_MAX,
      waitMsMax: limits.waitMsMax ?? WAIT_MS_MAX,
      waitingMax: WAITING_MAX,
    })
    limitsByOperator.set(operator, limit)
    return limit
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
      const joined = underWay.get(key)
      if (joined) return joined
      const caller = actor.kind === 'person' ? `${applicationId} ${actor.id}` : applicationId
      const retryAfterMs = rate.take(caller)
      if (retryAfterMs !== undefined) return err({ code: 'throttled', retryAfterMs })
      const running = limitOf(operator)
        .run(caller, query)
        .finally(() => underWay.delete(key))
      underWay.set(key, running)
      return running
    },
    runOne: (operator, caller, query) => limitOf(operator).run(caller, query),
    async close() {
      // First: an operator that hangs must not delay the end of the process. Its calls end as unknown.
      await connectors.close()
      await Promise.allSettled(underWay.values())
      await recorder.drain()
    },
  }
}
