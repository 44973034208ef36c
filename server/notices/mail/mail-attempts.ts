import { backoffMs } from '#server/retry.ts'

/** `refused`: the mail server, or the push service of a browser, has certainly not taken the message. `unknown`: it may have. */
export type SendOutcome = 'sent' | 'refused' | 'unknown'

/** Within this time no message is repeated whose attempt ended in doubt. */
export const WINDOW_MS = 3_600_000
/** Longer than the longest attempt: a message still in `sending` after it belongs to a process that died. */
export const LEASE_MS = 300_000
const ATTEMPTS_MAX = 12
const RETRY = { firstMs: 60_000, maxMs: 21_600_000 }

export type MailEnding = { state: 'waiting' | 'unknown' | 'sent' | 'failed' | 'dropped'; at: Date; nextAt?: Date }

/** Returns the state of a message after its attempt number `attempts`, and when it is tried again: not before `waitMs`, which its receiver asked for. */
export function endingOf(outcome: SendOutcome, attempts: number, at: Date, waitMs = 0): MailEnding {
  if (outcome === 'sent') return { state: 'sent', at }
  if (attempts >= ATTEMPTS_MAX) return { state: 'failed', at }
  const pauseMs = outcome === 'unknown' ? WINDOW_MS : backoffMs(attempts, RETRY)
  return { state: outcome === 'unknown' ? 'unknown' : 'waiting', at, nextAt: new Date(at.getTime() + Math.max(pauseMs, waitMs)) }
}
