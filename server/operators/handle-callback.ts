import { setTimeout as delay } from 'node:timers/promises'
import { isOperatorCode, type OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type Batcher, createBatcher, OverloadedError } from '../database/batcher.ts'
import type { Pool } from '../database/pool.ts'
import { storableAnswer } from './answer-recorder.ts'
import type { Connectors } from './connector.ts'
import { type HintRow, type HintVerdict, hintWork } from './operator-work-store.ts'

export type CallbackRefusal = 'unknown_operator' | 'unverified' | 'malformed' | 'overloaded'

const TRIES_MAX = 5
const TRY_AGAIN_MS = 10

type Hint = Omit<HintRow, 'place'>

export type CallbackDesk = { connectors: Connectors; hints: Batcher<Hint, HintVerdict> }

export type CallbackDeskOptions = {
  pool: Pool
  connectors: Connectors
  /** Rings the dispatcher of this process, if it has one; others find the row when they next look. */
  wake?: () => void
  hintGapMs?: number
  /** More than so many callbacks waiting for the database are refused. */
  queueMax?: number
}

/** What handleCallback needs; one per process. */
export function createCallbackDesk(options: CallbackDeskOptions): CallbackDesk {
  const hints = createBatcher<Hint, HintVerdict>({
    key: (hint) => hint.app + hint.id,
    async run(batch) {
      const rows = batch.map((hint, place) => ({ place, ...hint }))
      const verdicts = await hintWork(options.pool, rows, options.hintGapMs ?? 250)
      if (verdicts.includes('taken')) options.wake?.()
      return verdicts
    },
    queueMax: options.queueMax ?? 2_048,
    batchMax: 256,
    slots: 1,
  })
  return { connectors: options.connectors, hints }
}

/**
 * Takes an operator's callback. It is never believed: it makes a query of that row due at once, and the query decides
 * (DESIGN 6). Duplicates, callbacks of finished transactions and callbacks that overtake the answer to the submission do
 * nothing more. `headers` with lower-case names, `body` as received. Value: whether a row was waiting for it.
 */
export async function handleCallback(
  desk: CallbackDesk,
  operatorCode: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): Promise<Result<{ isAwaited: boolean }, CallbackRefusal>> {
  const operator: OperatorCode | undefined = isOperatorCode(operatorCode) ? operatorCode : undefined
  const connector = operator && desk.connectors.get(operator)
  if (!operator || !connector) return err('unknown_operator')
  const callback = connector.parseCallback(headers, body)
  if (callback.kind !== 'callback') return err(callback.kind)
  try {
    const hint = {
      app: callback.applicationId,
      id: callback.reference,
      operator,
      outcome: callback.claim,
      answer: storableAnswer(body.toString('utf8')),
    }
    let verdict = await desk.hints.submit(hint)
    for (let tries = 1; verdict === 'busy' && tries < TRIES_MAX; tries++) {
      await delay(TRY_AGAIN_MS)
      verdict = await desk.hints.submit(hint)
    }
    return ok({ isAwaited: verdict !== 'idle' })
  } catch (error) {
    if (error instanceof OverloadedError) return err('overloaded')
    throw error
  }
}
