import type { TransactionDetailDto } from './transaction-detail.ts'
import { FAILURE_MESSAGES } from './transaction-status.ts'

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
  'other',
] as const
type FailureCase = (typeof FAILURE_CASES)[number]

/**
 * Returns the explanation and next step for a failed transaction: by the event that ended it, then by the operator's
 * own sentence; a sentence that we do not know is `other`.
 */
export function failureCaseOf(detail: Pick<TransactionDetailDto, 'type' | 'message' | 'events'>): FailureCase {
  const last = detail.events.at(-1)?.event
  if (last === 'rejected' || last === 'recalled' || last === 'expired' || last === 'stopped') return last
  if (last === 'refused_for_funds') return 'ownBalance'
  switch (detail.message) {
    case FAILURE_MESSAGES.insufficientFunds:
      return detail.type === 'COLLECT' ? 'insufficientFundsCollect' : 'insufficientFundsDeposit'
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
