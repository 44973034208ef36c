import { request } from 'node:http'

export type Sent = { status: number; headers: Record<string, string>; body: string }

/**
 * Sends one request exactly as it is written: path, headers and body reach the server unchanged, where fetch would repair them. Rejects
 * when there is no answer within ten seconds.
 */
export function sendRequest(
  baseUrl: string,
  { method = 'GET', path, headers = {}, body }: { method?: string; path: string; headers?: Record<string, string>; body?: string | Buffer },
): Promise<Sent> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const length: Record<string, string> = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request({ hostname, port, method, path, headers: { ...length, ...headers }, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('error', reject)
      answer.once('end', () => {
        const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
        resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(named), body: Buffer.concat(chunks).toString() })
      })
    })
    outgoing.setTimeout(10_000, () => outgoing.destroy(new Error(`${method} ${path} was not answered within ten seconds`)))
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
