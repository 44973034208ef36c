import { connect } from 'node:net'
import type { HttpHarness } from './http-harness.ts'

/** Returns the head of a request with these lines and a Host. */
export function headOf(requestLine: string, lines: readonly string[] = []): string {
  return `${[requestLine, 'Host: localhost', ...lines].join('\r\n')}\r\n\r\n`
}

/** Returns a complete POST with the credentials of the harness's partner. */
export function post(harness: HttpHarness, path: string, body: string, lines: readonly string[] = []): string {
  const credentials = Object.entries(harness.headers).map(([name, value]) => `${name}: ${value}`)
  return headOf(`POST ${path} HTTP/1.1`, [...credentials, `Content-Length: ${Buffer.byteLength(body)}`, ...lines]) + body
}

/** Writes bytes unchanged. Resolves with all that was received when the other side closes, or when `isEnough`. Fails after 15 s. */
export function talk(port: number, bytes: string | Buffer, isEnough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The connection was still open after 15 s, with ${JSON.stringify(text.slice(0, 500))}`))
    }, 15_000)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (isEnough(text)) socket.destroy()
    })
    // A reset after the response does not undo what was read.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
    socket.write(bytes)
  })
}

/** Returns the responses in what a connection received, each with its whole body, without 1xx. */
export function answersOf(text: string): { status: number; head: string; body: string }[] {
  const answers: { status: number; head: string; body: string }[] = []
  let at = 0
  while (text.startsWith('HTTP/1.', at)) {
    const headEnd = text.indexOf('\r\n\r\n', at)
    if (headEnd < 0) break
    const head = text.slice(at, headEnd)
    const status = Number(head.slice(9, 12))
    const end = headEnd + 4 + (status < 200 ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? text.length))
    if (status >= 200) answers.push({ status, head, body: text.slice(headEnd + 4, end) })
    at = end
  }
  return answers
}
