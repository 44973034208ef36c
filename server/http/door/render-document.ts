import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'

/** Nothing that such a page needs takes this long: it would never end. */
const RENDER_MS_MAX = 10_000

/** A whole answer of Next, in memory. */
export type RenderedDocument = { status: number; headers: [name: string, value: string][]; body: Buffer }

/**
 * Renders the document at `path` as if a reader with just these headers had requested it, and returns the whole answer. No client is
 * involved: one that leaves, or reads slowly, changes nothing. Rejects if the answer was cut off, or not there after ten seconds.
 */
export function renderDocument(
  path: string,
  headers: Readonly<Record<string, string>>,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
): Promise<RenderedDocument> {
  const incoming = new IncomingMessage(new Socket())
  incoming.method = 'GET'
  incoming.url = path
  // Without chunks: what is written after the head is the body as it is.
  incoming.httpVersion = '1.0'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 0
  Object.assign(incoming.headers, headers)
  incoming.complete = true
  incoming.push(null)
  const outgoing = new ServerResponse(incoming)
  const chunks: Buffer[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  // The one part of a socket that an answer uses is that of a stream.
  outgoing.assignSocket(sink as Socket)
  // A server passes this on for its sockets.
  sink.on('drain', () => outgoing.emit('drain'))
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => sink.destroy(), RENDER_MS_MAX)
    outgoing.once('finish', () => {
      clearTimeout(timer)
      const bytes = Buffer.concat(chunks)
      sink.destroy()
      const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
      resolve({ status: outgoing.statusCode, headers: headersOf(outgoing), body })
    })
    outgoing.once('close', () => reject(new Error(`The document at ${path} was cut off`)))
    outgoing.once('error', reject)
    handle(incoming, outgoing)
  })
}

function headersOf(outgoing: ServerResponse): [string, string][] {
  return Object.entries(outgoing.getHeaders()).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
  )
}
