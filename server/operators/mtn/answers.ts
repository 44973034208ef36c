import { type AnswerTable, ended, KNOWN, OUR_FAULT, refused, UNKNOWN } from '#server/operators/answer-table.ts'

/** MTN's codes, for both directions: of HTTP 400, 409 and 500, and as the reason of a transfer that failed. */
export const MTN_ANSWERS: AnswerTable = {
  // Of HTTP 400: a field is malformed, and nothing was created.
  BAD_REQUEST: refused('other'),
  RESOURCE_ALREADY_EXIST: KNOWN,
  // On a payout it is our own balance that is short, or the receiver's limit.
  NOT_ENOUGH_FUNDS: refused('insufficientFunds'),
  PAYER_NOT_FOUND: refused('notRegistered'),
  PAYEE_NOT_FOUND: refused('notRegistered'),
  PAYER_LIMIT_REACHED: refused('other'),
  PAYEE_NOT_ALLOWED_TO_RECEIVE: refused('other'),
  SENDER_ACCOUNT_NOT_ACTIVE: refused('other'),
  // MTN has blocked us, or a setting of ours is wrong.
  NOT_ALLOWED: OUR_FAULT,
  NOT_ALLOWED_TARGET_ENVIRONMENT: OUR_FAULT,
  INVALID_CALLBACK_URL_HOST: OUR_FAULT,
  INVALID_CURRENCY: OUR_FAULT,
  // Outcomes of a transfer after it was accepted.
  APPROVAL_REJECTED: ended('cancelledByCustomer'),
  PAYMENT_NOT_APPROVED: ended('cancelledByCustomer'),
  TRANSACTION_CANCELED: ended('cancelledByCustomer'),
  EXPIRED: ended('operatorTimeout'),
  // The customer entered no PIN within five minutes.
  COULD_NOT_PERFORM_TRANSACTION: ended('operatorTimeout'),
  INTERNAL_PROCESSING_ERROR: UNKNOWN,
  SERVICE_UNAVAILABLE: UNKNOWN,
}
