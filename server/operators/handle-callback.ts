import { setTimeout as delay } from 'node:timers/promises'
import { isOperatorCode, type OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type Batcher, createBatcher, OverloadedError } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { isAboutItems } from './answer-recorder.ts'
import { storableAnswer } from './clean-text.ts'
import type { Connectors } from './connector.ts'
import { recordContradictions } from './contradiction-store.ts'
import { type HintRow, type HintVerdict, hintWork } from './operator-work-store.ts'

export type CallbackRefusal = 'unknown_operator' | 'unverified' | 'malformed' | 'overloaded'

const TRIES_MAX = 5
const TRY_AGAIN_MS = 10

type Hint = Omit<HintRow, 'place'>

/** `contradicting`: against a final result. A new one is recorded, and the operator is asked about it. */
type CallbackVerdict = HintVerdict | 'contradicting'

export type CallbackIntake = {
  connectors: Connectors
  /** Rejects with OverloadedError when too many wait. */
  hint(hint: Hint): Promise<CallbackVerdict>
  onOutcome?(outcome: CallbackVerdict | CallbackRefusal): void
}

export type CallbackDeskOptions = {
  pool: Pool
  connectors: Connectors
  logger: Pick<Logger, 'error'>
  /** Rings the dispatcher of this process, if it has one; others find the row when they next look. */
  wake?: () => void
  hintGapMs?: number
  /** More than so many callbacks waiting for the database are refused. */
  queueMax?: number
  /** Told of the outcome of each callback, for the metrics. */
  onOutcome?(outcome: CallbackVerdict | CallbackRefusal): void
}

/** What handleCallback needs; one per process. */
export function createCallbackIntake(options: CallbackDeskOptions): CallbackIntake {
  // Callbacks that say the same and still wait share one place: a storm about one transaction takes no more than two.
  const waiting = new Map<string, Promise<CallbackVerdict>>()
  const hints: Batcher<Hint, CallbackVerdict> = createBatcher({
    key: (hint) => hint.app + hint.id,
    async run(batch) {
      // What comes from now on may know more than this statement sees.
      for (const hint of batch) waiting.delete(sameWords(hint))
      const rows = batch.map((hint, place) => ({ place, ...hint }))
      const verdicts = await hintWork(options.pool, rows, options.hintGapMs ?? 250)
      if (verdicts.includes('taken')) options.wake?.()
      return findContradictions(options, rows, verdicts)
    },
    queueMax: options.queueMax ?? 2_048,
    batchMax: 256,
    slots: 1,
    isItemError: isAboutItems,
  })

  function hint(one: Hint): Promise<CallbackVerdict> {
    const words = sameWords(one)
    const known = waiting.get(words)
    if (known) return known
    const verdict = hints.submit(one)
    waiting.set(words, verdict)
    // Refused before it was in any batch.
    verdict.catch(() => waiting.get(words) === verdict && waiting.delete(words))
    return verdict
  }
  return { connectors: options.connectors, hint, onOutcome: options.onOutcome }
}

function sameWords({ app, id, operator, outcome }: Hint): string {
  return `${app} ${id} ${operator} ${outcome}`
}

/** Of the callbacks that no row was waiting for, those that say the opposite of a final result. */
async function findContradictions(options: CallbackDeskOptions, rows: HintRow[], verdicts: HintVerdict[]): Promise<CallbackVerdict[]> {
  const unheeded = rows.filter((row) => verdicts[row.place] === 'idle' && row.outcome !== 'pending')
  if (unheeded.length === 0) return verdicts
  const found = await recordContradictions(
    options.pool,
    unheeded.map(({ outcome, ...row }) => ({ ...row, source: 'callback', said: outcome })),
  )
  for (const row of unheeded) {
    // Repetitions are counted and otherwise cost nothing, not even a line.
    if (found.get(row.place)) options.logger.error({ transactionId: row.id, said: row.outcome }, 'A callback contradicts the stored result')
  }
  return verdicts.map((verdict, place) => (found.has(place) ? 'contradicting' : verdict))
}

/**
 * Takes an operator's callback. It is never believed: it makes a query of that row due at once, and the query decides.
 * Duplicates, callbacks of finished transactions and callbacks that overtake the answer to the submission do nothing more;
 * one that contradicts a final result is recorded. `headers` with lower-case names, `body` as received. Value: whether a
 * row was waiting for it. `overloaded`: not recorded, the operator should send it again.
 */
export async function handleCallback(
  desk: CallbackIntake,
  operatorCode: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): Promise<Result<{ isAwaited: boolean }, CallbackRefusal>> {
  const verdict = await takeCallback(desk, operatorCode, headers, body)
  desk.onOutcome?.(verdict.ok ? verdict.value : verdict.error)
  if (!verdict.ok) return verdict
  if (verdict.value === 'busy') return err('overloaded')
  return ok({ isAwaited: verdict.value === 'taken' })
}

async function takeCallback(
  desk: CallbackIntake,
  operatorCode: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): Promise<Result<CallbackVerdict, CallbackRefusal>> {
  const operator: OperatorCode | undefined = isOperatorCode(operatorCode) ? operatorCode : undefined
  const connector = operator && desk.connectors.get(operator)
  if (!operator || !connector) return err('unknown_operator')
  const callback = connector.parseCallback(headers, body)
  if (callback.kind !== 'callback') return err(callback.kind)
  const hint = {
    app: callback.applicationId,
    id: callback.reference,
    operator,
    outcome: callback.claim,
    answer: storableAnswer(body.toString('utf8')),
  }
  try {
    let verdict = await desk.hint(hint)
    for (let tries = 1; verdict === 'busy' && tries < TRIES_MAX; tries++) {
      await delay(TRY_AGAIN_MS)
      verdict = await desk.hint(hint)
    }
    return ok(verdict)
  } catch (error) {
    if (error instanceof OverloadedError) return err('overloaded')
    throw error
  }
}
