import { type AnswerTable, KNOWN, OUR_FAULT, refused, UNKNOWN } from '#server/operators/answer-table.ts'

/**
 * The codes that are known, the statuses of a payment that has ended, and the fields that a refusal names. Every other code is unknown,
 * also with HTTP 417: Orange sends some while the payment goes on.
 */
export const ORANGE_CM_ANSWERS: AnswerTable = {
  // On a payout it is our own balance that is short.
  60019: refused('insufficientFunds'),
  // The order was used before.
  60041: KNOWN,
  // It is being processed.
  '00068': UNKNOWN,
  FAILED: refused('other'),
  CANCELLED: refused('cancelledByCustomer'),
  EXPIRED: refused('operatorTimeout'),
  'HTTP 400 msisdn': refused('invalidNumber'),
  'wrong PIN': OUR_FAULT,
  'wrong X-AUTH-TOKEN': OUR_FAULT,
}
