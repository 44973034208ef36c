import { FAILURE_MESSAGES, SUCCESS_MESSAGE } from '#lib/transaction-status.ts'
import { SYSTEM_ACTOR } from '#server/transactions/actor.ts'
import type { TransitionItem } from '#server/transactions/transition.ts'
import { REFUSED_MESSAGE } from './clean-text.ts'
import type { CodeRefusal, FinalOutcome } from './connector.ts'
import type { NumberRefusal } from './customer-step/code-number-store.ts'

type Subject = { applicationId: string; transactionId: string; operatorToken: string | null; operatorReference: string | null }

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

/** The messages for partners and the customer's page where no code is asked for. */
export const NUMBER_MESSAGES = {
  occupied: 'Un autre paiement de ce numéro attend déjà un code',
  blocked: 'Trop de codes refusés pour ce numéro en 24 heures',
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

/** The outcome of a collect whose customer entered too many wrong codes. */
export function refusalOfCode({ operatorCode, exchange }: CodeRefusal): FinalOutcome {
  return { kind: 'failed', reason: REFUSED_MESSAGE, operatorCode, exchange }
}
