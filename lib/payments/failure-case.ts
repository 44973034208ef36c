import {
  CANCELLED_MESSAGE,
  type EventName,
  FAILURE_MESSAGES,
  FLOAT_MESSAGE,
  REFUND_MESSAGE,
  type TransactionType,
} from './transactions/transaction-status.ts'

const FAILURE_CASES = [
  'insufficientFundsCollect',
  'insufficientFundsDeposit',
  'invalidNumber',
  'cancelledByCustomer',
  'operatorTimeout',
  'notRegistered',
  'ownBalance',
  'rejected',
  'recalled',
  'expired',
  'stopped',
  'float',
  'refund',
  'cancelled',
  'other',
] as const
export type FailureCase = (typeof FAILURE_CASES)[number]

/**
 * Returns the explanation and next step for a failed transaction: by the event that ended it, then by the operator's
 * own sentence; a sentence that we do not know is `other`.
 */
export function failureCaseOf({
  type,
  message,
  events,
}: {
  type: TransactionType
  message: string | null
  events: readonly { event: EventName }[]
}): FailureCase {
  return failureCase(type, events.at(-1)?.event, message)
}

/** The same by the event that ended the transaction. */
export function failureCase(type: TransactionType, last: EventName | undefined, message: string | null): FailureCase {
  if (last === 'stopped' && message === FLOAT_MESSAGE) return 'float'
  if (last === 'stopped' && message === REFUND_MESSAGE) return 'refund'
  if ((last === 'stopped' || last === 'recalled') && message === CANCELLED_MESSAGE) return 'cancelled'
  if (last === 'rejected' || last === 'recalled' || last === 'expired' || last === 'stopped') return last
  if (last === 'refused_for_funds') return 'ownBalance'
  switch (message) {
    case FAILURE_MESSAGES.insufficientFunds:
      return type === 'COLLECT' ? 'insufficientFundsCollect' : 'insufficientFundsDeposit'
    case FAILURE_MESSAGES.invalidNumber:
      return 'invalidNumber'
    case FAILURE_MESSAGES.cancelledByCustomer:
      return 'cancelledByCustomer'
    case FAILURE_MESSAGES.operatorTimeout:
      return 'operatorTimeout'
    case FAILURE_MESSAGES.notRegistered:
      return 'notRegistered'
    default:
      return 'other'
  }
}
