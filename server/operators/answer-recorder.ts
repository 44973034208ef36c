import { type Batcher, createBatcher } from '../database/batcher.ts'
import type { Pool } from '../database/pool.ts'
import { isRetryable } from '../database/with-transaction.ts'
import type { QueryOutcome, SubmitOutcome } from './connector.ts'
import { type AnswerRow, type AnswerRules, type ClaimedWork, recordAnswers } from './operator-work-store.ts'
import { pollDelayMs, resubmitDelayMs } from './poll-schedule.ts'

/** A call that came to its end, whatever the end was. */
export type FinishedCall = { work: ClaimedWork; kind: 'submit' | 'query'; outcome: SubmitOutcome | QueryOutcome; durationMs: number }

/** Whether the row was still in the submission or query that the call belongs to. */
export type RecordedCall = { isCurrent: boolean }

export type RecorderOptions = { pool: Pool; random: () => number; pollDelaysMs: readonly number[]; rules: AnswerRules }

const ANSWER_BYTES_MAX = 2_048

/** Writes answers down in batches: many calls end at the same time, and each batch costs one commit. */
export function createAnswerRecorder(options: RecorderOptions): Batcher<FinishedCall, RecordedCall> {
  return createBatcher<FinishedCall, RecordedCall>({
    key: ({ work }) => work.applicationId + work.transactionId,
    async run(calls) {
      const rows = calls.map((call, place) => toRow(options, call, place))
      const current = await againOnDeadlock(() => recordAnswers(options.pool, rows, options.rules))
      return calls.map((_, place) => ({ isCurrent: current.has(place) }))
    },
    // The dispatcher bounds the calls under way, and none of their answers may be turned away.
    queueMax: Number.MAX_SAFE_INTEGER,
    batchMax: 256,
    slots: 2,
  })
}

function toRow(options: RecorderOptions, { work, kind, outcome, durationMs }: FinishedCall, place: number): AnswerRow {
  const queriesMade = work.queries + (kind === 'query' ? 1 : 0)
  const hasIdentifiers = outcome.kind !== 'unknown' && outcome.kind !== 'not_found'
  return {
    place,
    app: work.applicationId,
    id: work.transactionId,
    number: work.number,
    kind,
    submission: work.submissions,
    outcome: outcome.kind,
    http_status: outcome.exchange.httpStatus,
    answer: storableAnswer(outcome.exchange.answer),
    duration_ms: Math.round(durationMs),
    delay_ms: pollDelayMs(queriesMade, options.random, options.pollDelaysMs),
    requeue_ms: resubmitDelayMs(work.submissions, options.random, options.pollDelaysMs),
    reference: hasIdentifiers ? outcome.operatorReference : undefined,
    token: hasIdentifiers ? outcome.operatorToken : undefined,
  }
}

/** At most 2 KB of it, without what PostgreSQL cannot store: NUL and halves of surrogate pairs. */
export function storableAnswer(text: string): string {
  const cut = Buffer.from(text.toWellFormed().replaceAll('\0', '')).subarray(0, ANSWER_BYTES_MAX).toString('utf8')
  return cut.replace(/\uFFFD+$/, '')
}

/** Repeats a statement that PostgreSQL gave up because it stood in another one's way. */
export async function againOnDeadlock<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 4 || !isRetryable(error)) throw error
    }
  }
}
