import { IncomingMessage } from 'node:http'
import { err, ok, type Result } from '#lib/result.ts'

/** What a server action may receive; `next.config.ts` names the same limit. */
const ACTION_BYTES_MAX = 1024 * 1024
/** What a form may receive: a few fields of text. Looking for the boundaries of a multipart body costs 0.3 µs a byte where it is made for that. */
const FORM_BYTES_MAX = 64 * 1024
/**
 * The most values that the arguments of an action, or the fields of a form, may have. Deciding five hundred transactions at once, the
 * largest that ours take, has 1,500. React spends 2 µs on each, whatever its size, before any code of ours is reached: a megabyte of
 * `[{},{},…]` from nobody in particular would hold up the whole process for more than half a second.
 */
const VALUES_MAX = 5_000
const PARTS_MAX = 200

const [BRACE, BRACKET, COMMA] = [...Buffer.from('{[,')]
const PART = Buffer.from('\n--')

/**
 * Reads the body of a form or an action and returns the same request with that body in memory. Errors are the status of the refusal: 413
 * for more than a megabyte (64 KB as a form), 400 for more values than any action of ours takes. Never resolves for a client that goes away.
 */
export function readActionBody(incoming: IncomingMessage): Promise<Result<IncomingMessage, 400 | 413>> {
  return new Promise((resolve) => {
    const bytesMax = incoming.headers['content-type']?.trim().toLowerCase().startsWith('text/plain') ? ACTION_BYTES_MAX : FORM_BYTES_MAX
    const chunks: Buffer[] = []
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else resolve(err(413))
    })
    // A connection that breaks has nobody left to answer; what was read goes with the request.
    incoming.on('error', () => chunks.splice(0))
    incoming.once('end', () => {
      const body = Buffer.concat(chunks)
      if (bytes > bytesMax) return
      resolve(isModest(body) ? ok(withBody(incoming, body)) : err(400))
    })
  })
}

/** True for a body with few enough parts and values; counts them without reading any, texts that contain these characters included. */
export function isModest(body: Buffer): boolean {
  let parts = 0
  for (let at = body.indexOf(PART); at >= 0; at = body.indexOf(PART, at + PART.length)) if (++parts > PARTS_MAX) return false
  let values = 0
  for (const byte of body) if ((byte === COMMA || byte === BRACE || byte === BRACKET) && ++values > VALUES_MAX) return false
  return true
}

function withBody(incoming: IncomingMessage, body: Buffer): IncomingMessage {
  const copy = new IncomingMessage(incoming.socket)
  copy.method = incoming.method
  copy.url = incoming.url
  copy.httpVersion = incoming.httpVersion
  copy.httpVersionMajor = incoming.httpVersionMajor
  copy.httpVersionMinor = incoming.httpVersionMinor
  copy.rawHeaders = incoming.rawHeaders
  copy.headers = incoming.headers
  copy.complete = true
  if (body.length > 0) copy.push(body)
  copy.push(null)
  return copy
}
