import type { IncomingHttpHeaders } from 'node:http'

// Next believes these without asking who wrote them.
const NEXT_INTERNAL = /^(?:x-middleware-|x-invoke-|x-matched-path$|x-now-route-matches$|next-resume$)/
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-real-ip']

/** The longest User-Agent that Next receives; browsers send some 150 characters. */
const USER_AGENT_LENGTH_MAX = 512

/**
 * Takes away what only Next itself or a trusted proxy may say, before Next sees a request, and cuts the User-Agent: Next looks for
 * crawlers in it with an expression whose time grows with the square of the length of a word, 0.9 s for 16 KB. Changes `headers`.
 */
export function cleanForNext(headers: IncomingHttpHeaders, isFromTrustedProxy: boolean): void {
  const agent = headers['user-agent']
  if (agent !== undefined && agent.length > USER_AGENT_LENGTH_MAX) headers['user-agent'] = agent.slice(0, USER_AGENT_LENGTH_MAX)
  for (const name in headers) if (NEXT_INTERNAL.test(name)) delete headers[name]
  if (isFromTrustedProxy) return
  for (const name of FORWARDED) if (headers[name] !== undefined) delete headers[name]
}

/** Whether the request says that it came through a proxy. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
}

/** X-Forwarded-For as one list, even when it came as several lines. */
export function forwardedFor(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}
