import type { IncomingMessage, ServerResponse } from 'node:http'

const BODY_BYTES_MAX = 64 * 1024

/** Returns the JSON of a request; undefined if it is too long or not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
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
