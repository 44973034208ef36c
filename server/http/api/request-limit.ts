import { createRateLimit, type Taken } from '#server/rate-limit.ts'
import { type Refusal, refuse } from './errors.ts'

/** Of one application in each process. An integration that works uses a fraction of it; one in a loop is told before it takes from others. */
const ALLOWANCE = { burst: 1_000, perSecond: 100 }

/** Names the allowance in both headers. */
const POLICY = 'requests'

export type RequestLimitOptions = Partial<{ burst: number; perSecond: number; nowMs(): number }>

/** The requests of version 2 that an application may send. Version 1 has none: it was published without, and takes what intake can. */
export type RequestLimit = {
  /** Takes one request. Returns the headers of its answer, and the refusal if none was left. */
  take(applicationId: string): { headers: Readonly<Record<string, string>>; refusal: Refusal | undefined }
}

export function createRequestLimit(options: RequestLimitOptions = {}): RequestLimit {
  const { burst, perSecond, nowMs = () => performance.now() } = { ...ALLOWANCE, ...options }
  const limit = createRateLimit({ burst, perSecond, nowMs })
  const policy = `"${POLICY}";q=${burst};w=${Math.ceil(burst / perSecond)}`
  return {
    take(applicationId) {
      const taken = limit.take(applicationId)
      const headers = { 'ratelimit-policy': policy, ratelimit: describeLeft(taken) }
      return { headers, refusal: taken.retryAfterMs === undefined ? undefined : refuseRequest(taken.retryAfterMs) }
    },
  }
}

/** As the draft of the IETF writes it: a structured field, r requests left, and t seconds until the whole quota is there again. */
function describeLeft({ left, fullAfterMs }: Pick<Taken, 'left' | 'fullAfterMs'>): string {
  return `"${POLICY}";r=${left};t=${Math.ceil(fullAfterMs / 1_000)}`
}

/** Returns the response to a request beyond the allowance. */
export function refuseRequest(retryAfterMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  return refuse(429, 'too_many_requests', `Too many requests of this application. Try again in ${seconds} s.`, {
    'retry-after': String(seconds),
  })
}

/** The headers of the document's example. */
export const EXAMPLE_LIMIT_HEADERS = createRequestLimit({ nowMs: () => 0 }).take('').headers
