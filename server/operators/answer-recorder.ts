import { type Batcher, createBatcher } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import { RETRY_CANCELLED } from '#server/database/with-transaction.ts'
import { retryWithBackoff } from '#server/retry.ts'
import type { QueryOutcome, SubmitOutcome } from './connector.ts'
import { type AnswerRow, type AnswerRules, type ClaimedWork, recordAnswers } from './operator-work-store.ts'
import { pollDelayMs, resubmitDelayMs, unsentDelayMs } from './poll-schedule.ts'

/** A call that came to its end, whatever the end was. */
export type FinishedCall = { work: ClaimedWork; kind: 'submit' | 'query'; outcome: SubmitOutcome | QueryOutcome; durationMs: number }

/** Whether the row was still in the submission or query that the call belongs to. */
export type RecordedCall = { isCurrent: boolean }

export type RecorderOptions = {
  pool: Pool
  random: () => number
  pollDelaysMs: readonly number[]
  rules: AnswerRules
  /** Told of each answer that the database refused. */
  onUnrecordable?(transactionId: string, error: unknown): void
}

/** Kept in the place of an answer that the database refuses. */
const UNRECORDABLE = 'The answer could not be recorded'

/**
 * Records answers in batches: many calls end at the same time, and each batch costs one commit. An answer that makes its batch
 * fail is recorded alone and without its text, so that its row moves on and its neighbours never notice.
 */
export function createAnswerRecorder(options: RecorderOptions): Batcher<FinishedCall, RecordedCall> {
  return createBatcher<FinishedCall, RecordedCall>({
    key: ({ work }) => work.applicationId + work.transactionId,
    async run(calls) {
      const rows = calls.map((call, place) => toRow(options, call, place))
      const current = await recordEach(options, rows)
      return calls.map((_, place) => ({ isCurrent: current.has(place) }))
    },
    // The dispatcher bounds the calls under way, and none of their answers may be turned away.
    queueMax: Number.MAX_SAFE_INTEGER,
    batchMax: 256,
    slots: 2,
    isItemError: isAboutItems,
  })
}

async function recordEach(options: RecorderOptions, rows: AnswerRow[]): Promise<Set<number>> {
  try {
    return await againOnDeadlock(() => recordAnswers(options.pool, rows, options.rules))
  } catch (error) {
    const [row] = rows
    if (rows.length > 1 || !row || !isAboutItems(error)) throw error
    options.onUnrecordable?.(row.id, error)
    const plain = { ...row, answer: UNRECORDABLE, http_status: null, reference: undefined, token: undefined }
    return againOnDeadlock(() => recordAnswers(options.pool, [plain], options.rules))
  }
}

function toRow(options: RecorderOptions, { work, kind, outcome, durationMs }: FinishedCall, place: number): AnswerRow {
  const queriesMade = work.queries + (kind === 'query' ? 1 : 0)
  const hasIdentifiers = outcome.kind !== 'unknown' && outcome.kind !== 'not_found' && outcome.kind !== 'not_sent'
  return {
    place,
    app: work.applicationId,
    id: work.transactionId,
    number: work.number,
    kind,
    submission: work.submissions,
    outcome: outcome.kind,
    http_status: outcome.exchange.httpStatus,
    answer: outcome.exchange.answer,
    duration_ms: Math.round(durationMs),
    delay_ms:
      outcome.kind === 'not_sent'
        ? unsentDelayMs(work.submissions, options.random, options.pollDelaysMs)
        : pollDelayMs(queriesMade, options.random, options.pollDelaysMs),
    requeue_ms: resubmitDelayMs(work.submissions, options.random, options.pollDelaysMs),
    reference: hasIdentifiers ? outcome.operatorReference : undefined,
    token: hasIdentifiers ? outcome.operatorToken : undefined,
  }
}

/**
 * True where the server refused a statement for what is in it or for how much, false where the connection, a lock or the server
 * itself is in trouble and every other statement would fare the same.
 */
export function isAboutItems(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return /^[0-9A-Z]{5}$/.test(error.code) && !/^(?:08|25|28|40|53|55|57|58)/.test(error.code)
}

/** Repeats a statement that PostgreSQL cancelled because of a deadlock. */
export function againOnDeadlock<Value>(work: () => Promise<Value>): Promise<Value> {
  return retryWithBackoff(work, RETRY_CANCELLED)
}
