import { z } from 'zod'
import { FAILURE_MESSAGES, type FailureReason, SUCCESS_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { SYSTEM_ACTOR, type TransitionItem } from '#server/transactions/transition.ts'
import type { CodeRefusal, FinalOutcome, SubmitOutcome } from './connector.ts'
import type { NumberRefusal } from './customer-step/customer-code-store.ts'
import { type CallOutcome, exchangeOf, notSentOrUnknown } from './operator-http-client.ts'
import { REFUSED_MESSAGE } from './wire-formats.ts'

/**
 * The meaning of one of an operator's codes as the answer to a submission. `failed`: the operator has certainly not executed it and never
 * will. `known`: it has the reference from an earlier submission, so a query decides. `unknown`: nothing is proven; with a `reason` if the
 * operator's own final status may carry the code. `our_fault`: it refused our PIN, our key or our settings, and executed nothing.
 */
type Answer =
  | { outcome: 'failed'; reason: FailureReason }
  | { outcome: 'known' | 'our_fault' }
  | { outcome: 'unknown'; reason?: FailureReason }

/** Every documented code of an operator. A code that is not in the table is unknown: it may come after the money has moved. */
export type AnswerTable = Readonly<Record<string, Answer>>

/** Final as the answer to a submission, and the reason where a final status carries the code. */
export const refused = (reason: FailureReason): Answer => ({ outcome: 'failed', reason })
/** Only the reason of a final status. As the answer to a submission it proves nothing. */
export const ended = (reason: FailureReason): Answer => ({ outcome: 'unknown', reason })
export const KNOWN: Answer = { outcome: 'known' }
export const UNKNOWN: Answer = { outcome: 'unknown' }
export const OUR_FAULT: Answer = { outcome: 'our_fault' }

const REASONS = ['insufficientFunds', 'invalidNumber', 'cancelledByCustomer', 'operatorTimeout', 'notRegistered', 'other'] as const

/** Meanings of codes that were agreed with an operator, in its settings. */
export const codeMeaningsSchema = z.record(z.string().regex(/^\w{1,20}$/, 'must be a code'), z.enum(REASONS))

/** A table with the codes that were agreed with the operator: each of them is final. */
export function withAgreed(table: AnswerTable, codeMeanings: Readonly<Record<string, FailureReason>>): AnswerTable {
  return { ...table, ...Object.fromEntries(Object.entries(codeMeanings).map(([code, reason]) => [code, refused(reason)])) }
}

export function answerOf(table: AnswerTable, code: string | undefined): Answer {
  return (code !== undefined && Object.hasOwn(table, code) ? table[code] : undefined) ?? UNKNOWN
}

/**
 * The message of a transaction that the operator ended with this code. A code without a reason in the table gets the generic text: a
 * partner acts on the five messages, so none of them is ever guessed. The code itself is stored beside it.
 */
export function failureReason(table: AnswerTable, code: string | undefined): string {
  const answer = answerOf(table, code)
  const reason = 'reason' in answer ? answer.reason : undefined
  return reason === undefined || reason === 'other' ? REFUSED_MESSAGE : FAILURE_MESSAGES[reason]
}

/** Returns the outcome of a submission that the operator answered with this code. */
export function outcomeOfCode(table: AnswerTable, code: string | undefined, call: CallOutcome): SubmitOutcome {
  const exchange = exchangeOf(call)
  switch (answerOf(table, code).outcome) {
    case 'failed':
      return { kind: 'failed', reason: failureReason(table, code), operatorCode: code, exchange }
    case 'known':
      return { kind: 'accepted', exchange }
    case 'our_fault':
      return faultOutcome(`The operator refuses our PIN, key or settings (${code})`, call)
    default:
      return notSentOrUnknown(call)
  }
}

/** The operator refused what is ours and executed nothing: no further submission can succeed before people have corrected it. */
export function faultOutcome(fault: string, call: CallOutcome): SubmitOutcome {
  return { kind: 'not_sent', detail: fault, closesDirection: fault, exchange: exchangeOf(call) }
}

type Subject = {
  applicationId: string
  transactionId: string
  operatorToken: string | null
  operatorReference: string | null
  operatorReferenceOther: string | null
}

/** The move for an operator's final result; a failure carries the operator's sentence. */
export function finalMove(subject: Subject, outcome: FinalOutcome): TransitionItem {
  return {
    applicationId: subject.applicationId,
    transactionId: subject.transactionId,
    event: outcome.kind,
    message: outcome.kind === 'failed' ? outcome.reason : SUCCESS_MESSAGE,
    reason: outcome.kind === 'failed' ? outcome.operatorCode : undefined,
    operatorToken: outcome.operatorToken ?? subject.operatorToken ?? undefined,
    operatorReference: outcome.operatorReference ?? subject.operatorReference ?? undefined,
    operatorReferenceOther: outcome.operatorReferenceOther ?? subject.operatorReferenceOther ?? undefined,
    actor: { kind: 'operator', id: null },
  }
}

/** The same move without any of the operator's text, for text that cannot be stored. */
export function plainMove(move: TransitionItem): TransitionItem {
  return {
    ...move,
    message: move.event === 'failed' ? REFUSED_MESSAGE : SUCCESS_MESSAGE,
    reason: undefined,
    operatorToken: undefined,
    operatorReference: undefined,
    operatorReferenceOther: undefined,
  }
}

/** The move for a deposit that the balance did not cover. The operator is not called. */
export function refusedForFunds(subject: Pick<Subject, 'applicationId' | 'transactionId'>): TransitionItem {
  return {
    applicationId: subject.applicationId,
    transactionId: subject.transactionId,
    event: 'refused_for_funds',
    message: FAILURE_MESSAGES.insufficientFunds,
    actor: SYSTEM_ACTOR,
  }
}

/** The move for a collect whose customer entered no code in time. Nothing was sent. */
export function withoutCode({ applicationId, transactionId }: Pick<Subject, 'applicationId' | 'transactionId'>): TransitionItem {
  return {
    applicationId,
    transactionId,
    event: 'failed',
    message: FAILURE_MESSAGES.operatorTimeout,
    reason: 'NO_CODE',
    actor: SYSTEM_ACTOR,
  }
}

/** The messages for partners and the customer's page where no code is asked for, or not any more. */
export const NUMBER_MESSAGES = {
  occupied: 'Un autre paiement de ce numéro attend déjà un code',
  blocked: 'Trop de codes refusés pour ce numéro en 24 heures',
  spent: 'Trois codes erronés',
} as const

/** The outcome of a collect that may not ask its customer for a code. Nothing was sent. */
export function refusalOfNumber(refusal: NumberRefusal): FinalOutcome {
  const operatorCode = refusal === 'occupied' ? 'CODE_AWAITED' : 'CODES_REFUSED'
  const answer =
    refusal === 'occupied'
      ? 'Not sent: another payment of this number at this operator awaits a code'
      : 'Not sent: the operator refused six codes of this number within a day'
  return { kind: 'failed', reason: NUMBER_MESSAGES[refusal], operatorCode, exchange: { httpStatus: null, answer } }
}

/** The outcome of a collect whose customer entered too many wrong codes: three for this payment (`spent`), or those that its number has left. */
export function refusalOfCode({ operatorCode, exchange }: CodeRefusal, why: 'spent' | NumberRefusal): FinalOutcome {
  return { kind: 'failed', reason: NUMBER_MESSAGES[why], operatorCode, exchange }
}
