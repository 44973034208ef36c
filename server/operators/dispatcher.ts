import type { OperatorCode } from '#lib/operators.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { withJitterMs } from '#server/retry.ts'
import type { Settler } from '#server/transactions/settle.ts'
import { createAnswerRecorder } from './answer-recorder.ts'
import { queryWork, submitWork, TOO_LATE } from './call-operator.ts'
import type { Connectors, QueryOutcome, SubmitOutcome } from './connector.ts'
import { refusedForFunds } from './operator-result.ts'
import { type ClaimedWork, claimDueWork } from './operator-work-store.ts'
import { POLL_DELAYS_MS } from './poll-schedule.ts'
import { settleFinalResult } from './settle-final-result.ts'
import { createWakeSignal } from './wake-signal.ts'

export type DispatcherOptions = {
  pool: Pool
  settler: Settler
  connectors: Connectors
  logger: Logger
  random?: () => number
  /** Calls under way at one operator. All of them together have that many times the number of connectors. */
  perOperatorMax?: number
  /** How long a claim holds a row; more than a call and the recording of its answer take. */
  leaseMs?: number
  /** The longest that a connector lets a call last, its connection included. */
  callTimeoutMs?: number
  /** How often due rows are claimed without a wake-up. */
  idlePollMs?: number
  pollDelaysMs?: readonly number[]
  /** Between the two denials of a reference that are required before it is sent again. */
  absenceMs?: number
  /** The same if the operator had accepted the reference before. */
  acceptedAbsenceMs?: number
  /** The least time between two queries of one row, however many callbacks arrive. */
  hintGapMs?: number
  /** Called for each answer that contradicts a final result, for the metrics. */
  onContradiction?(): void
  /** Called for each answer that the database refused, for the metrics. */
  onUnrecordable?(): void
  /** Called for each call that ended, for the metrics. */
  onCall?(operator: OperatorCode, kind: 'submit' | 'query', outcome: (SubmitOutcome | QueryOutcome)['kind'], durationMs: number): void
}

export type Dispatcher = {
  start(): void
  /** Something is due now: a new transaction, a callback. */
  wake(): void
  /** Claims nothing more. Resolves when every call in progress has ended and is stored. */
  drain(): Promise<void>
}

type Context = { options: DispatcherOptions; record: ReturnType<typeof createAnswerRecorder>; leaseMs: number; callTimeoutMs: number }

const DATABASE_PAUSE_MS = 1_000

/**
 * Submits queued transactions, queries open ones, and passes final results to the settler. Any number of dispatchers may work on
 * one database. The attempt is committed before the operator is called, the call is made outside any database transaction, and
 * the work of a process that died becomes due again when its lease ends.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const perOperatorMax = options.perOperatorMax ?? 64
  const context = createContext(options)
  const signal = createWakeSignal()
  const underWay = new Map<OperatorCode, number>()
  const backlogged = new Set<OperatorCode>()
  const calls = new Set<Promise<void>>()
  let isRunning = false
  let loop: Promise<void> | undefined

  function begin(work: ClaimedWork, claimedAtMs: number): void {
    underWay.set(work.operator, (underWay.get(work.operator) ?? 0) + 1)
    const call = carryOut(context, work, claimedAtMs)
      .catch((error: unknown) => {
        reportUnexpected('operators: call', error, {
          logger: options.logger,
          transactionId: work.transactionId,
          message: 'Operator work was interrupted; it is repeated when its lease ends',
        })
      })
      .finally(() => {
        calls.delete(call)
        underWay.set(work.operator, (underWay.get(work.operator) ?? 1) - 1)
        if (backlogged.has(work.operator)) signal.notify()
      })
    calls.add(call)
  }

  /** An operator that filled its slots may have more waiting: the end of any of its calls then requests the next claim. */
  async function claimOnce(): Promise<void> {
    const slots = freeSlots(options.connectors.keys(), underWay, perOperatorMax)
    if (slots.size === 0) return
    // Taken before the claim: the lease in the database cannot end earlier than counted from here.
    const claimedAtMs = performance.now()
    const claimed = await claimDueWork(options.pool, slots, context.leaseMs)
    const counts = Map.groupBy(claimed, (work) => work.operator)
    for (const [operator, free] of slots) {
      if ((counts.get(operator)?.length ?? 0) >= free) backlogged.add(operator)
      else backlogged.delete(operator)
    }
    for (const work of claimed) begin(work, claimedAtMs)
  }

  async function run(): Promise<void> {
    while (isRunning) {
      try {
        await claimOnce()
        await signal.wait(options.idlePollMs ?? 250)
      } catch (error) {
        reportUnexpected('operators: claim', error, { logger: options.logger, message: 'Due operator work could not be claimed' })
        await signal.wait(withJitterMs(DATABASE_PAUSE_MS))
      }
    }
  }

  return {
    start() {
      if (isRunning) return
      isRunning = true
      loop = run()
    },
    wake: signal.notify,
    async drain() {
      isRunning = false
      signal.notify()
      await loop
      await Promise.all(calls)
    },
  }
}

/** How many more calls each operator may get now; without those that have as many as they may. */
function freeSlots(
  operators: Iterable<OperatorCode>,
  underWay: ReadonlyMap<OperatorCode, number>,
  perOperatorMax: number,
): Map<OperatorCode, number> {
  const slots = new Map<OperatorCode, number>()
  for (const operator of operators) {
    const free = perOperatorMax - (underWay.get(operator) ?? 0)
    if (free > 0) slots.set(operator, free)
  }
  return slots
}

function createContext(options: DispatcherOptions): Context {
  const record = createAnswerRecorder({
    pool: options.pool,
    random: options.random ?? Math.random,
    pollDelaysMs: options.pollDelaysMs ?? POLL_DELAYS_MS,
    onUnrecordable(transactionId, error) {
      options.onUnrecordable?.()
      reportUnexpected('operators: record answer', error, {
        logger: options.logger,
        transactionId,
        message: 'The answer of an operator could not be recorded; it is recorded without its text',
      })
    },
    rules: {
      absenceMs: options.absenceMs ?? 3_000,
      acceptedAbsenceMs: options.acceptedAbsenceMs ?? 60_000,
      hintGapMs: options.hintGapMs ?? 250,
    },
  })
  return { options, record, leaseMs: options.leaseMs ?? 20_000, callTimeoutMs: options.callTimeoutMs ?? 14_000 }
}

async function carryOut(context: Context, work: ClaimedWork, claimedAtMs: number): Promise<void> {
  if (work.foundState === 'unfunded') return void (await context.options.settler.settle(refusedForFunds(work)))
  const connector = context.options.connectors.get(work.operator)
  if (!connector) return
  const kind = work.foundState === 'queued' ? 'submit' : 'query'
  const startedAtMs = performance.now()
  // A process that was stopped for a while must not send what another one may have taken over.
  const isTooLate = startedAtMs - claimedAtMs > context.leaseMs - context.callTimeoutMs
  if (isTooLate && kind === 'query') return
  const outcome = isTooLate ? TOO_LATE : await (kind === 'submit' ? submitWork(connector, work) : queryWork(connector, work))
  const durationMs = performance.now() - startedAtMs
  context.options.onCall?.(work.operator, kind, outcome.kind, durationMs)
  const { isCurrent } = await context.record.submit({ work, kind, outcome, durationMs })
  if (outcome.kind !== 'succeeded' && outcome.kind !== 'failed') return
  // The answer to a submission that was taken over by another process: the query that follows there decides.
  if (kind === 'submit' && !isCurrent) return
  await settleFinalResult(context.options, { ...work, source: kind }, outcome)
}
