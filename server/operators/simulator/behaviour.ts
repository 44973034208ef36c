import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { SIMULATED_ENDINGS, type SimulatedEnding } from '#lib/partner/partner-requests.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'

/** The behaviour of the simulated operator for a transfer; decided by the last three digits of the phone number. */
export type Behaviour = {
  /** When the result is there, counted from the acceptance. `at_once`: before the submission is answered. */
  due: 'normal' | 'slow' | 'never' | 'at_once'
  /** The money moves, or this sentence says why not. */
  result: { kind: 'executed' } | { kind: 'failed'; message: string }
  /** How many callbacks are sent when the result is there. */
  callbacks: number
  /** The result that they claim; different from the actual one in one row of the table. */
  callbackClaim: 'truth' | 'SUCCESS'
  /** The number of submissions refused first, without a trace in the transfers. */
  turnedAway: { times: number; how: 'http_500' | 'silence' }
  /** The operator was wrong: a minute after it reported the failure, the money moves, and callbacks and queries say so. */
  isTakenBack: boolean
  /** `silence`: the transfer is taken, but its submission is never answered. */
  answer: 'at_once' | 'silence'
}

const SUCCESS: Behaviour = {
  due: 'normal',
  result: { kind: 'executed' },
  callbacks: 1,
  callbackClaim: 'truth',
  turnedAway: { times: 0, how: 'http_500' },
  isTakenBack: false,
  answer: 'at_once',
}

const BY_LAST_DIGITS: Record<Exclude<SimulatedEnding, '000'>, Behaviour> = {
  901: failing(FAILURE_MESSAGES.insufficientFunds),
  902: failing(FAILURE_MESSAGES.invalidNumber),
  903: failing(FAILURE_MESSAGES.cancelledByCustomer),
  904: failing(FAILURE_MESSAGES.operatorTimeout),
  905: failing(FAILURE_MESSAGES.notRegistered),
  906: {
    ...SUCCESS,
    callbacks: 0,
  },
  907: {
    ...SUCCESS,
    answer: 'silence',
  },
  // The first submission vanishes on the way. Sent again under its reference it is taken, and ends without money moving.
  908: {
    ...failing(FAILURE_MESSAGES.operatorTimeout),
    turnedAway: { times: 1, how: 'silence' },
  },
  909: { ...SUCCESS, callbacks: 3 },
  910: { ...SUCCESS, due: 'at_once' },
  911: { ...SUCCESS, turnedAway: { times: 2, how: 'http_500' } },
  912: { ...SUCCESS, due: 'never' },
  913: {
    ...failing(FAILURE_MESSAGES.cancelledByCustomer),
    callbackClaim: 'SUCCESS',
  },
  914: { ...SUCCESS, due: 'slow' },
  915: {
    ...failing(FAILURE_MESSAGES.operatorTimeout),
    isTakenBack: true,
  },
}

/** The result of each row, for the reference. */
export const SIMULATED_OUTCOMES: readonly {
  digits: SimulatedEnding
  status: 'PENDING' | 'SUCCESS' | 'FAILED'
  message: string | null
}[] = SIMULATED_ENDINGS.flatMap((digits) => {
  if (digits === '000') return []
  const { due, result } = BY_LAST_DIGITS[digits]
  const status = due === 'never' ? 'PENDING' : result.kind === 'failed' ? 'FAILED' : 'SUCCESS'
  return [{ digits, status, message: result.kind === 'failed' ? result.message : null }]
})

const ROWS: Readonly<Record<string, Behaviour | undefined>> = BY_LAST_DIGITS

/** The row of the table for this phone number. */
export function behaviourFor(phoneNumber: string): Behaviour {
  return ROWS[phoneNumber.slice(-3)] ?? SUCCESS
}

function failing(message: string): Behaviour {
  return { ...SUCCESS, result: { kind: 'failed', message } }
}

type BadDay = { badDayShare?: number; random?: () => number }

const LATE_MS_MAX = 5_000
/** Paths that belong to no operator. */
const NEVER_DISTURBED = /^\/(books|health|phone|customers|statements)\b/

/**
 * Answers as operators do on a bad day. Of the share of requests that go wrong, a fifth each is answered late, is refused with an HTTP
 * 503 or 429 before anything happened, loses its connection before anything happened, and is carried out without an answer.
 */
export async function onBadDay(
  { badDayShare = 0, random = Math.random }: BadDay,
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => Promise<void>,
): Promise<void> {
  if (random() >= badDayShare || NEVER_DISTURBED.test(request.url ?? '')) return handle()
  const kind = Math.floor(random() * 5)
  if (kind === 0) {
    await delay(random() * LATE_MS_MAX)
    return handle()
  }
  if (kind === 1) return void response.writeHead(503, { 'content-type': 'text/html' }).end('<html><body>Service Unavailable</body></html>')
  if (kind === 2)
    return void response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      .end('{"statusCode":429,"message":"Rate limit is exceeded. Try again in 1 seconds."}')
  if (kind === 3) return void response.destroy()
  // The protocol's answer is discarded, and the connection with it.
  response.end = () => {
    response.destroy()
    return response
  }
  return handle()
}
