import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isOperatorCode, type OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { createBoundedCache } from '#server/credentials/password.ts'
import { type Batcher, createBatcher, OverloadedError } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import type { Connectors } from './connector.ts'
import { storableAnswer } from './wire-formats.ts'
import { askAboutHints, selectContradictingHints, storeContradictions } from './work/contradiction-store.ts'
import { type CallbackEffect, type CallbackRow, storeCallbacks } from './work/operator-work-store.ts'
import { isAboutItems } from './work/settle-final-result.ts'

export type CallbackRefusal = 'unknown_operator' | 'unverified' | 'malformed' | 'overloaded'

const TRIES_MAX = 5
const TRY_AGAIN_MS = 10

export type Callback = Omit<CallbackRow, 'item_index'>

/** The rate limit for queries about payments that have ended, caused by unsigned callbacks of one application at one operator. */
const ENDED_ALLOWANCE = { burst: 20, perSecond: 0.1 }
/** The same for open payments, beyond what operators send of each. */
const OPEN_ALLOWANCE = { burst: 100, perSecond: 5 }
const PER_PAYMENT = 3
/** Payments whose unsigned callbacks this process counts. */
const SEEN_MAX = 20_000

/**
 * `contradicting`: against a final result. A new one is stored, and the operator is queried about it. `throttled`: unsigned, and beyond
 * the allowance of its application; it has no effect.
 */
type CallbackVerdict = CallbackEffect | 'contradicting' | 'throttled'

export type CallbackIntake = {
  connectors: Connectors
  /** Rejects with OverloadedError if too many are waiting. */
  store(callback: Callback): Promise<CallbackVerdict>
  onOutcome?(outcome: CallbackVerdict | CallbackRefusal): void
}

type CallbackIntakeOptions = {
  pool: Pool
  connectors: Connectors
  logger: Pick<Logger, 'error'>
  /** Wakes the dispatcher of this process, if it has one; others find the row at their next claim. */
  wake?: () => void
  /** Ends the transaction and stores the callback with its end, unless it `agrees` with an end that is known; undefined if it is not stored. */
  settleByCallback?(callback: Callback): Promise<'settled' | 'agrees' | undefined> | undefined
  hintGapMs?: number
  /** More than this many callbacks waiting for the database are refused. */
  queueMax?: number
  /** Called with the outcome of each callback, for the metrics. */
  onOutcome?(outcome: CallbackVerdict | CallbackRefusal): void
  nowMs?(): number
}

type Parts = { options: CallbackIntakeOptions; endedHints: RateLimit }

/** Creates the dependencies of handleCallback; one per process. */
export function createCallbackIntake(options: CallbackIntakeOptions): CallbackIntake {
  // Equal callbacks that are still waiting share one place in the queue: a storm about one transaction takes no more than two.
  const waiting = new Map<string, Promise<CallbackVerdict>>()
  const { nowMs = () => performance.now() } = options
  const parts: Parts = { options, endedHints: createRateLimit({ ...ENDED_ALLOWANCE, nowMs }) }
  const repeatedHints = createRateLimit({ ...OPEN_ALLOWANCE, nowMs })
  const counts = createBoundedCache<string, number>(SEEN_MAX)
  const batcher: Batcher<Callback, CallbackVerdict> = createBatcher({
    key: (callback) => callback.application_id + callback.transaction_id,
    // Ids in unsigned callbacks may be invented: what is signed does not wait behind them.
    shareOf: (callback) => `${callback.is_verified} ${callback.application_id}`,
    async run(batch) {
      // Callbacks that arrive from now on may know more than this statement sees.
      for (const callback of batch) waiting.delete(contentKey(callback))
      const rows = batch.map((callback, index) => ({ item_index: index, ...callback }))
      const effects = await storeCallbacks(options.pool, rows, options.hintGapMs ?? 250)
      if (effects.includes('taken')) options.wake?.()
      return findContradictions(parts, rows, effects)
    },
    queueMax: options.queueMax ?? 2_048,
    batchMax: 256,
    slots: 1,
    isItemError: isAboutItems,
  })

  function store(callback: Callback): Promise<CallbackVerdict> {
    const key = contentKey(callback)
    const known = waiting.get(key)
    if (known) return known
    if (isThrottled(callback)) return Promise.resolve('throttled')
    const verdict = settleOrStore(callback)
    waiting.set(key, verdict)
    const forget = () => void (waiting.get(key) === verdict && waiting.delete(key))
    verdict.then(forget, forget)
    return verdict
  }

  async function settleOrStore(callback: Callback): Promise<CallbackVerdict> {
    const settled = await options.settleByCallback?.(callback)
    if (settled === 'agrees') return 'idle'
    return settled === 'settled' ? 'taken' : batcher.submit(callback)
  }

  /** The first unsigned callbacks of a payment are never refused: an application may have many payments. */
  function isThrottled({ application_id, transaction_id, operator, is_verified }: Callback): boolean {
    if (is_verified) return false
    const payment = `${application_id} ${transaction_id}`
    const count = counts.get(payment) ?? 0
    if (count >= PER_PAYMENT) return repeatedHints.take(`${application_id} ${operator}`).retryAfterMs !== undefined
    counts.set(payment, count + 1)
    return false
  }
  return { connectors: options.connectors, store, onOutcome: options.onOutcome }
}

function contentKey(callback: Callback): string {
  const { application_id, transaction_id, operator, outcome, is_verified } = callback
  return `${application_id} ${transaction_id} ${operator} ${outcome} ${is_verified}`
}

/**
 * Finds the callbacks that no row was waiting for and that report the opposite of a final result. About an unverified one the operator
 * is queried, and only its answer counts.
 */
async function findContradictions(
  { options, endedHints }: Parts,
  rows: CallbackRow[],
  effects: CallbackEffect[],
): Promise<CallbackVerdict[]> {
  const unawaited = rows.filter((row) => effects[row.item_index] === 'idle' && row.outcome !== 'pending')
  const verdicts: CallbackVerdict[] = [...effects]
  const hints = unawaited
    .filter((row) => !row.is_verified)
    .map((row) => ({
      index: row.item_index,
      applicationId: row.application_id,
      transactionId: row.transaction_id,
      operator: row.operator,
      said: row.outcome,
      answer: row.answer,
    }))
  if (hints.length > 0) {
    const contradicting = await selectContradictingHints(options.pool, hints)
    const allowed = contradicting.filter(({ applicationId, operator, index }) => {
      const isAllowed = endedHints.take(`${applicationId} ${operator}`).retryAfterMs === undefined
      if (!isAllowed) verdicts[index] = 'throttled'
      return isAllowed
    })
    if (allowed.length > 0) await askAboutHints(options.pool, allowed)
  }
  const verified = unawaited.filter((row) => row.is_verified)
  if (verified.length === 0) return verdicts
  const found = await storeContradictions(
    options.pool,
    verified.map(({ outcome, is_verified: _, ...row }) => ({ ...row, source: 'callback', said: outcome })),
  )
  for (const row of verified) {
    // Repetitions are counted in the metrics and not logged.
    if (found.get(row.item_index))
      options.logger.error({ transactionId: row.transaction_id, said: row.outcome }, 'A callback contradicts the stored result')
  }
  return verdicts.map((verdict, index) => (found.has(index) ? 'contradicting' : verdict))
}

/**
 * Handles an operator's callback. It is not trusted: it makes a query of that row due immediately, and the query decides. Duplicates,
 * callbacks of finished transactions and callbacks that overtake the answer to the submission have no other effect; one that
 * contradicts a final result is stored. `headers` have lower-case names, `body` is as received, `search` is the undecoded query. Returns
 * whether a row was waiting for it. `overloaded`: not stored, the operator should send it again.
 */
export async function handleCallback(
  intake: CallbackIntake,
  operatorCode: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  search = '',
): Promise<Result<{ isAwaited: boolean }, CallbackRefusal>> {
  const verdict = await takeCallback(intake, operatorCode, headers, body, search)
  intake.onOutcome?.(verdict.ok ? verdict.value : verdict.error)
  if (!verdict.ok) return verdict
  if (verdict.value === 'busy') return err('overloaded')
  return ok({ isAwaited: verdict.value === 'taken' })
}

async function takeCallback(
  intake: CallbackIntake,
  operatorCode: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  search: string,
): Promise<Result<CallbackVerdict, CallbackRefusal>> {
  const operator: OperatorCode | undefined = isOperatorCode(operatorCode) ? operatorCode : undefined
  const connector = operator && intake.connectors.get(operator)
  if (!operator || !connector) return err('unknown_operator')
  const callback = connector.parseCallback(headers, body, search)
  if (callback.kind === 'irrelevant') return ok('idle')
  if (callback.kind !== 'callback') return err(callback.kind)
  const row = {
    application_id: callback.applicationId,
    transaction_id: callback.reference,
    operator,
    outcome: callback.claim,
    answer: storableAnswer(body.toString('utf8')),
    is_verified: callback.isVerified,
  }
  try {
    let verdict = await intake.store(row)
    for (let tries = 1; verdict === 'busy' && tries < TRIES_MAX; tries++) {
      await delay(TRY_AGAIN_MS)
      verdict = await intake.store(row)
    }
    return ok(verdict)
  } catch (error) {
    if (error instanceof OverloadedError) return err('overloaded')
    throw error
  }
}

/** An older signature is refused: a recorded callback cannot be replayed later. */
const AGE_MS_MAX = 300_000

type Signed = { secret: string; header: string | string[] | undefined; body: Buffer; now: Date }

/**
 * Whether `t=<seconds>,v1=<hex>` signs these bytes, and did so within five minutes. The signature is the HMAC-SHA256 of the time, the
 * separator of the operator and the raw body. While a secret is replaced there are several `v1`, of which one must fit.
 */
export function isSigned({ secret, header, body, now }: Signed, separator: string): boolean {
  if (typeof header !== 'string') return false
  const parts = header.split(',').map((part) => part.trim())
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() - Number(time) * 1_000) > AGE_MS_MAX) return false
  const expected = createHmac('sha256', secret)
    .update(time + separator)
    .update(body)
    .digest()
  return parts
    .filter((part) => part.startsWith('v1='))
    .some((part) => {
      const given = Buffer.from(part.slice(3), 'hex')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
