import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import type { PageFailure } from '#lib/schemas/page-address.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** How many page failures each person may still report. */
    pageFailureLimit: RateLimit
  }
}

/** A page that fails again and again is one failure; more than this would only fill the log. */
const BURST = 10
const PER_SECOND = 1 / 30

/** Logs a failure of a page in a person's browser. Returns the reference it has in the log. `throttled`: the person has reported too many. */
export function logPageFailure(personId: string, { name, message, stack, path }: PageFailure): Result<{ reference: string }, 'throttled'> {
  const limit = processWide('pageFailureLimit', () =>
    createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }),
  )
  if (limit.take(personId).retryAfterMs !== undefined) return err('throttled')
  const reference = randomUUID().slice(0, 8)
  const error = Object.assign(new Error(message), { name, stack })
  reportUnexpected('pages: browser', error, { reference, path, personId, message: 'A page failed in a browser' })
  return ok({ reference })
}
