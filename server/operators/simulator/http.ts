import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const BODY_BYTES_MAX = 64 * 1024

/** Returns the body of a request as text; what is too long is cut. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the JSON of a request; undefined if it is too long or not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse(await readBody(request))
  } catch {
    // Not JSON: the simulator refuses it, as an operator would.
    return undefined
  }
}

/** Answers with an error of the protocol. */
export function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  answer(response, status, { code, message })
}

/** Answers with JSON. */
export function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** In a time that does not depend on where the texts differ. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** A reference of the simulated operator's own: this many digits, always the same for one of ours, and another for every other. */
export function digitsOf(reference: string, length: number): string {
  const number = BigInt(`0x${createHash('sha256').update(reference).digest('hex')}`)
  return String(number % 10n ** BigInt(length)).padStart(length, '0')
}
