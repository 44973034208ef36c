import type { OperatorCode } from '#lib/operators/operators.ts'
import { isFinalStatus, TRANSITIONS } from '#lib/payments/transactions/transaction-status.ts'
import { type Batcher, createBatcher } from '#server/database/batcher.ts'
import type { Pool } from '#server/database/pool.ts'
import { RETRY_CANCELLED } from '#server/database/with-transaction.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { retryWithBackoff } from '#server/retry.ts'
import type { Settler, TransitionItem, TransitionOutcome } from '#server/transactions/transition.ts'
import { finalMove, plainMove } from '../answer-table.ts'
import type { FinalOutcome, QueryOutcome, SubmitOutcome } from '../connector.ts'
import { storeContradictions } from './contradiction-store.ts'
import { pollDelayMs, resubmitDelayMs, unsentDelayMs } from './dispatch/claim-slots.ts'
import { type AnswerRow, type AnswerRules, type ClaimedWork, storeAnswers } from './operator-work-store.ts'

type SettleDeps = { pool: Pool; settler: Settler; logger: Logger; onContradiction?(): void }

/** The call that returned the final result. */
type SettledCall = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  operatorToken: string | null
  operatorReference: string | null
  operatorReferenceOther: string | null
  source: 'submit' | 'query'
}

/**
 * Ends a transaction with the operator's final result. If it already ended with the other result, nothing changes: the
 * contradiction is stored for people, who have to contact the operator.
 */
export async function settleFinalResult(deps: SettleDeps, call: SettledCall, outcome: FinalOutcome): Promise<void> {
  const move = finalMove(call, outcome)
  const found = await settle(deps, move)
  if (!found || found.isMoved || found.status === TRANSITIONS[move.event].to) return
  const { applicationId, transactionId, operator, source } = call
  deps.logger.error({ transactionId, stored: found.status, said: outcome.kind }, 'The operator contradicts the stored result')
  if (!isFinalStatus(found.status)) return
  deps.onContradiction?.()
  const { answer } = outcome.exchange
  await storeContradictions(deps.pool, [
    { item_index: 0, application_id: applicationId, transaction_id: transactionId, operator, source, said: outcome.kind, answer },
  ])
}

/**
 * The same for the answer to a query, which is stored in the statement that ends the transaction, with the callback for which it was made.
 * False if it did not end here, or if the database refuses the text of the answer: the caller then records the answer apart, and calls
 * settleFinalResult.
 */
export async function settleQueriedResult(
  deps: Pick<SettleDeps, 'settler'>,
  call: Omit<SettledCall, 'source'> & { number: number | null },
  outcome: FinalOutcome,
  durationMs: number,
  callback?: TransitionItem['callback'],
): Promise<boolean> {
  const { httpStatus, answer: text } = outcome.exchange
  const answer = { number: call.number, outcome: outcome.kind, httpStatus, text, durationMs }
  try {
    return (await deps.settler.settle({ ...finalMove(call, outcome), answer, callback }))?.isMoved ?? false
  } catch (error) {
    if (isAboutItems(error)) return false
    throw error
  }
}

/** A result counts even if its text cannot be stored. */
async function settle(deps: SettleDeps, move: TransitionItem): Promise<TransitionOutcome> {
  try {
    return await deps.settler.settle(move)
  } catch (error) {
    if (!isAboutItems(error)) throw error
    reportUnexpected('operators: record result', error, {
      logger: deps.logger,
      transactionId: move.transactionId,
      message: 'The text of a result could not be stored; the result is stored without it',
    })
    return deps.settler.settle(plainMove(move))
  }
}

/** A call that ended, with any outcome. */
type FinishedCall = { work: ClaimedWork; kind: 'submit' | 'query'; outcome: SubmitOutcome | QueryOutcome; durationMs: number }

/** Whether the row was still in the submission or query that the call belongs to. */
type RecordedCall = { isCurrent: boolean }

type RecorderOptions = {
  pool: Pool
  random: () => number
  pollDelaysMs: readonly number[]
  rules: AnswerRules
  /** Called for each answer that the database refused. */
  onUnrecordable?(transactionId: string, error: unknown): void
}

/** With fewer answers than this, waiting for the batch in progress costs less than a second one. */
const BESIDE_MIN = 64
/** Nobody waits for an answer to be stored, so a few of them are not worth a statement each. */
const GAP_MS = 25
/** Stored instead of an answer that the database refuses. */
const UNRECORDABLE = 'The answer could not be recorded'

/**
 * Stores answers in batches: many calls end at the same time, and each batch costs one commit. An answer that makes its batch fail
 * is stored alone and without its text, so that its row moves on and the others are not affected.
 */
export function createAnswerRecorder(options: RecorderOptions): Batcher<FinishedCall, RecordedCall> {
  return createBatcher<FinishedCall, RecordedCall>({
    key: ({ work }) => work.applicationId + work.transactionId,
    async run(calls) {
      const rows = calls.map((call, index) => toRow(options, call, index))
      const current = await storeRows(options, rows)
      return calls.map((_, index) => ({ isCurrent: current.has(index) }))
    },
    // The dispatcher bounds the calls in progress, and none of their answers may be refused.
    queueMax: Number.MAX_SAFE_INTEGER,
    batchMax: 256,
    slots: 2,
    besideMin: BESIDE_MIN,
    gapMs: GAP_MS,
    isItemError: isAboutItems,
  })
}

async function storeRows(options: RecorderOptions, rows: AnswerRow[]): Promise<Set<number>> {
  try {
    return await againOnDeadlock(() => storeAnswers(options.pool, rows, options.rules))
  } catch (error) {
    const [row] = rows
    if (rows.length > 1 || !row || !isAboutItems(error)) throw error
    options.onUnrecordable?.(row.transaction_id, error)
    const plain = {
      ...row,
      answer: UNRECORDABLE,
      http_status: null,
      operator_reference: null,
      operator_reference_other: null,
      operator_token: null,
      reason: null,
      operator_code: null,
    }
    return againOnDeadlock(() => storeAnswers(options.pool, [plain], options.rules))
  }
}

function toRow(options: RecorderOptions, { work, kind, outcome, durationMs }: FinishedCall, index: number): AnswerRow {
  const queriesMade = work.queries + (kind === 'query' ? 1 : 0)
  const refusal =
    outcome.kind === 'failed' ? outcome : outcome.kind === 'unknown' && outcome.doubt?.kind === 'refused' ? outcome.doubt : null
  const hasIdentifiers = outcome.kind !== 'unknown' && outcome.kind !== 'not_found' && outcome.kind !== 'not_sent'
  return {
    item_index: index,
    application_id: work.applicationId,
    transaction_id: work.transactionId,
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
    operator_reference: (hasIdentifiers ? outcome.operatorReference : undefined) ?? null,
    operator_reference_other: (hasIdentifiers ? outcome.operatorReferenceOther : undefined) ?? null,
    operator_token: (hasIdentifiers ? outcome.operatorToken : undefined) ?? null,
    reason: refusal?.reason ?? null,
    operator_code: refusal?.operatorCode ?? null,
    is_mismatch: outcome.kind === 'unknown' && outcome.doubt?.kind === 'mismatch',
  }
}

/**
 * True if the server refused a statement because of its content or size; false if the connection, a lock or the server itself is the
 * problem, so that every other statement would fail as well.
 */
export function isAboutItems(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return /^[0-9A-Z]{5}$/.test(error.code) && !/^(?:08|25|28|40|53|55|57|58)/.test(error.code)
}

/** Repeats a statement that PostgreSQL cancelled because of a deadlock. */
function againOnDeadlock<Value>(work: () => Promise<Value>): Promise<Value> {
  return retryWithBackoff(work, RETRY_CANCELLED)
}
