import { isOperatorCode, type OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type Batcher, createBatcher, OverloadedError } from '../database/batcher.ts'
import type { Pool } from '../database/pool.ts'
import { againOnDeadlock, storableAnswer } from './answer-recorder.ts'
import type { Connectors } from './connector.ts'
import { type HintRow, hintWork } from './operator-work-store.ts'

export type CallbackRefusal = 'unknown_operator' | 'unverified' | 'malformed' | 'overloaded'

type Hint = Omit<HintRow, 'place'>

export type CallbackDesk = { connectors: Connectors; hints: Batcher<Hint, boolean> }

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
  const hints = createBatcher<Hint, boolean>({
    key: (hint) => hint.app + hint.id,
    async run(batch) {
      const rows = batch.map((hint, place) => ({ place, ...hint }))
      const taken = await againOnDeadlock(() => hintWork(options.pool, rows, options.hintGapMs ?? 250))
      if (taken.size > 0) options.wake?.()
      return batch.map((_, place) => taken.has(place))
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
    const isAwaited = await desk.hints.submit({
      app: callback.applicationId,
      id: callback.reference,
      operator,
      outcome: callback.claim,
      answer: storableAnswer(body.toString('utf8')),
    })
    return ok({ isAwaited })
  } catch (error) {
    if (error instanceof OverloadedError) return err('overloaded')
    throw error
  }
}
