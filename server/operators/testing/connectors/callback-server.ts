import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Arrived = { operator: string; headers: IncomingHttpHeaders; body: Buffer; search: string }
/** Returns whether the callback was accepted. */
type CallbackHandler = (arrived: Arrived) => Promise<boolean>

export type CallbackServer = { url: string; onCallback(handler: CallbackHandler): void; close(): Promise<void> }

/** An address for callbacks: passes each of them to the handler and answers 200 or 400. */
export async function startCallbackServer(): Promise<CallbackServer> {
  let handle: CallbackHandler | undefined
  const inProgress = new Set<Promise<void>>()
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming)
    const [pathname = '', search = ''] = (incoming.url ?? '').split('?')
    const isAccepted = await handle?.({ operator: pathname.split('/').at(-1) ?? '', headers: incoming.headers, body, search })
    response.writeHead(isAccepted ? 200 : 400).end()
  }
  const server = createServer((incoming, response) => {
    const answered = answer(incoming, response).finally(() => inProgress.delete(answered))
    inProgress.add(answered)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    onCallback(handler) {
      handle = handler
    },
    /** Waits for the handlers: a caller that has gone away does not stop them, and they use the database. */
    async close() {
      server.close()
      await Promise.allSettled(inProgress)
      server.closeAllConnections()
    },
  }
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}
