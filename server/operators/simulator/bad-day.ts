import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

type BadDay = { badDayShare?: number; random?: () => number }

const LATE_MS_MAX = 5_000
/** Paths that belong to no operator. */
const NEVER_DISTURBED = /^\/(books|health|phone|customers)\b/

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
