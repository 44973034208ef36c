import type { z } from 'zod'
import type { SubmitOutcome, UnknownOutcome } from './connector.ts'
import { type CallOutcome, exchangeOf } from './operator-call.ts'

/** Returns the JSON of an answer; undefined if there is none, or if it does not fit. */
export function readAnswer<Value>(outcome: CallOutcome, schema: z.ZodType<Value>): Value | undefined {
  if (outcome.kind !== 'answered') return undefined
  try {
    return schema.safeParse(JSON.parse(outcome.body)).data
  } catch {
    // Not JSON: an operator's answer may be anything, and then counts as unreadable.
    return undefined
  }
}

/** Money may or may not have moved: nothing about the call proves an outcome. */
export function unknownOutcome(outcome: CallOutcome): UnknownOutcome {
  const detail = outcome.kind === 'lost' ? outcome.detail : `HTTP ${outcome.httpStatus} without a usable answer`
  return { kind: 'unknown', detail, exchange: exchangeOf(outcome) }
}

/** A submission without a usable answer: not sent if not one byte of it was written, otherwise unknown. */
export function notSentOrUnknown(outcome: CallOutcome): SubmitOutcome {
  if (outcome.kind === 'lost' && !outcome.wasWritten) return { kind: 'not_sent', detail: outcome.detail, exchange: exchangeOf(outcome) }
  return unknownOutcome(outcome)
}
