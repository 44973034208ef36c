import type { IncomingHttpHeaders } from 'node:http'

// Next believes these without asking who wrote them.
const NEXT_INTERNAL = /^(?:x-middleware-|x-invoke-|x-matched-path$|x-now-route-matches$|next-resume$)/
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-real-ip']

/** Takes away what only Next itself or a trusted proxy may say, before Next sees a request. Changes `headers`. */
export function cleanForNext(headers: IncomingHttpHeaders, isFromTrustedProxy: boolean): void {
  for (const name in headers) if (NEXT_INTERNAL.test(name)) delete headers[name]
  if (isFromTrustedProxy) return
  for (const name of FORWARDED) if (headers[name] !== undefined) delete headers[name]
}

/** Whether the request says that it came through a proxy. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
}

/** X-Forwarded-For as one list, also when it came as several lines. */
export function forwardedFor(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}
