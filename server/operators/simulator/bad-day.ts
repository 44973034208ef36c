import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

type BadDay = { badDayShare?: number; random?: () => number }

const LATE_MS_MAX = 5_000
const NEVER_DISTURBED = ['/books', '/health']

/**
 * Answers as operators do on a bad day. Of the share of requests that go wrong, a quarter each is answered late, is refused with an HTTP
 * 503 before anything happened, loses its connection before anything happened, and is carried out without an answer.
 */
export async function onBadDay(
  { badDayShare = 0, random = Math.random }: BadDay,
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => Promise<void>,
): Promise<void> {
  if (random() >= badDayShare || NEVER_DISTURBED.includes(request.url ?? '')) return handle()
  const kind = Math.floor(random() * 4)
  if (kind === 0) {
    await delay(random() * LATE_MS_MAX)
    return handle()
  }
  if (kind === 1) return void response.writeHead(503, { 'content-type': 'text/html' }).end('<html><body>Service Unavailable</body></html>')
  if (kind === 2) return void response.destroy()
  // What the protocol writes is thrown away, and the connection with it.
  response.end = () => {
    response.destroy()
    return response
  }
  return handle()
}
