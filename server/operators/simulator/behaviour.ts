import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'

/** What the simulated operator does with a transfer; decided by the last three digits of the phone number. */
export type Behaviour = {
  /** When the result is there, counted from the acceptance. `at_once`: before the submission is answered. */
  due: 'normal' | 'slow' | 'never' | 'at_once'
  /** The money moves, or this sentence says why not. */
  result: { kind: 'executed' } | { kind: 'failed'; message: string }
  /** How many callbacks are sent when the result is there. */
  callbacks: number
  /** What they say; different from the result in one row of the table. */
  callbackClaim: 'truth' | 'SUCCESS'
  /** So many submissions are refused first, without a trace in the transfers. */
  turnedAway: { times: number; how: 'http_500' | 'silence' }
  /** `silence`: the transfer is taken, but its submission is never answered. */
  answer: 'at_once' | 'silence'
}

const SUCCESS: Behaviour = {
  due: 'normal',
  result: { kind: 'executed' },
  callbacks: 1,
  callbackClaim: 'truth',
  turnedAway: { times: 0, how: 'http_500' },
  answer: 'at_once',
}

const BY_LAST_DIGITS: Record<string, Behaviour> = {
  901: failing(FAILURE_MESSAGES.insufficientFunds),
  902: failing(FAILURE_MESSAGES.invalidNumber),
  903: failing(FAILURE_MESSAGES.cancelledByCustomer),
  904: failing(FAILURE_MESSAGES.operatorTimeout),
  905: failing(FAILURE_MESSAGES.notRegistered),
  906: { ...SUCCESS, callbacks: 0 },
  907: { ...SUCCESS, answer: 'silence' },
  // The first submission vanishes on the way. Sent again under its reference it is taken, and ends without money moving.
  908: { ...failing(FAILURE_MESSAGES.operatorTimeout), turnedAway: { times: 1, how: 'silence' } },
  909: { ...SUCCESS, callbacks: 3 },
  910: { ...SUCCESS, due: 'at_once' },
  911: { ...SUCCESS, turnedAway: { times: 2, how: 'http_500' } },
  912: { ...SUCCESS, due: 'never' },
  913: { ...failing(FAILURE_MESSAGES.cancelledByCustomer), callbackClaim: 'SUCCESS' },
  914: { ...SUCCESS, due: 'slow' },
}

/** The row of the table for this phone number. */
export function behaviourFor(phoneNumber: string): Behaviour {
  return BY_LAST_DIGITS[phoneNumber.slice(-3)] ?? SUCCESS
}

function failing(message: string): Behaviour {
  return { ...SUCCESS, result: { kind: 'failed', message } }
}
