import type { OperatorCode } from '#lib/operators.ts'
import { err, type Result } from '#lib/result.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import type { Batcher } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import type { Settler } from '#server/transactions/settle.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import type { Connectors } from './connector.ts'
import { closeConnectors } from './create-connectors.ts'
import { createFairGate, type FairGate } from './fair-gate.ts'
import { type AskedQuery, createForcedQueryRecorder } from './forced-query-recorder.ts'
import { createRateLimit } from './rate-limit.ts'

/** Forced queries under way at one operator, per process, and of them those of one asker. */
export const FORCED_CALLS_MAX = 32
const PER_ASKER_MAX = 16
/** Longer than this nobody waits for a slot: the call itself may then still take its ten seconds. */
const WAIT_MS_MAX = 2_000
const WAITING_MAX = 128
/** What one asker may ask of the operators: a long list at once after an outage, then steadily. */
const BURST = 200
const PER_SECOND = 10

export type ForcedQueryRefusal = 'busy' | { code: 'throttled'; retryAfterMs: number }

/** What synchroniseTransaction needs; one per process. */
export type ForcedQueryDesk = {
  pool: Pool
  settler: Settler
  connectors: Connectors
  logger: Logger
  recorder: Batcher<AskedQuery, null>
  onOutcome?(outcome: string): void
  onContradiction?(): void
  /**
   * Runs `question` under the limits of its asker: an application's programs share one limit and each person has their own, so
   * that a program that floods does not keep people from asking. If a question about the same transaction is under way, its
   * answer is shared, and the new question counts against no limit.
   */
  ask(
    transaction: Pick<Transaction, 'applicationId' | 'transactionId' | 'operator'>,
    actor: AuditActor,
    question: () => Promise<boolean>,
  ): Promise<Result<boolean, ForcedQueryRefusal>>
  /** Closes the connections and resolves when every answer is recorded. Calls that are under way end as unknown. */
  close(): Promise<void>
}

export type ForcedQueryDeskOptions = {
  pool: Pool
  settler: Settler
  /** With connections of their own (FORCED_CALLS_MAX each): whatever waits here never delays a submission. */
  connectors: Connectors
  logger: Logger
  /** Told of the answer to each query, for the metrics. */
  onOutcome?(outcome: string): void
  limits?: Partial<{ callsMax: number; perAskerMax: number; waitMsMax: number; burst: number; perSecond: number }>
  nowMs?(): number
}

export function createForcedQueryDesk(options: ForcedQueryDeskOptions): ForcedQueryDesk {
  const { pool, settler, connectors, logger, onOutcome, limits = {} } = options
  const gates = new Map<OperatorCode, FairGate>()
  const underWay = new Map<string, Promise<Result<boolean, ForcedQueryRefusal>>>()
  const recorder = createForcedQueryRecorder(pool, logger)
  const rate = createRateLimit({
    burst: limits.burst ?? BURST,
    perSecond: limits.perSecond ?? PER_SECOND,
    nowMs: options.nowMs ?? (() => performance.now()),
  })

  function gateOf(operator: OperatorCode): FairGate {
    const known = gates.get(operator)
    if (known) return known
    const gate = createFairGate({
      slotsMax: limits.callsMax ?? FORCED_CALLS_MAX,
      perKeyMax: limits.perAskerMax ?? PER_ASKER_MAX,
      waitMsMax: limits.waitMsMax ?? WAIT_MS_MAX,
      waitingMax: WAITING_MAX,
    })
    gates.set(operator, gate)
    return gate
  }

  return {
    pool,
    settler,
    connectors,
    logger,
    recorder,
    onOutcome,
    onContradiction: () => onOutcome?.('contradicting'),
    async ask({ applicationId, transactionId, operator }, actor, question) {
      const key = `${applicationId} ${transactionId}`
      const joined = underWay.get(key)
      if (joined) return joined
      const asker = actor.kind === 'person' ? `${applicationId} ${actor.id}` : applicationId
      const retryAfterMs = rate.take(asker)
      if (retryAfterMs !== undefined) return err({ code: 'throttled', retryAfterMs })
      const asked = gateOf(operator)
        .run(asker, question)
        .finally(() => underWay.delete(key))
      underWay.set(key, asked)
      return asked
    },
    async close() {
      // First: an operator that hangs must not hold up the end of the process. Its calls end as unknown.
      await closeConnectors(connectors)
      await Promise.allSettled(underWay.values())
      await recorder.drain()
    },
  }
}
