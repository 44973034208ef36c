import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TransferRequest } from '#server/operators/sandbox-protocol/messages.ts'

export type Asked = { reference: string; response: ServerResponse }
type Submitted = Asked & { transfer: TransferRequest }

/** The operator's behaviour; both may answer, break the connection, or do nothing. */
type Script = { submit(asked: Submitted): void; query(asked: Asked): void }

export type ScriptedOperator = {
  url: string
  script: Script
  /** References in the order in which they were handed over, repetitions included. */
  submitted: string[]
  queried: string[]
  /** Connections that are open now. */
  sockets: ReadonlySet<Socket>
  close(): Promise<void>
}

/** A real HTTP server for the sandbox's protocol that responds as a test specifies. */
export async function startScriptedOperator(script: Script): Promise<ScriptedOperator> {
  const sockets = new Set<Socket>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    if (request.method === 'POST') {
      const transfer: TransferRequest = JSON.parse(text)
      operator.submitted.push(transfer.reference)
      operator.script.submit({ reference: transfer.reference, transfer, response })
    } else {
      const reference = request.url?.split('/').at(-1) ?? ''
      operator.queried.push(reference)
      operator.script.query({ reference, response })
    }
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const operator: ScriptedOperator = {
    url: `http://127.0.0.1:${port}`,
    script,
    submitted: [],
    queried: [],
    sockets,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return operator
}

/** Answers as the protocol does: a transfer with this status. */
export function sayTransfer(
  { reference, response }: Asked,
  status: 'PENDING' | 'SUCCESS' | 'FAILED',
  more: Record<string, unknown> = {},
): void {
  const body = { reference, status, operatorReference: `OP-${reference.slice(0, 8)}`, context: reference, ...more }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Answers that it never heard of the reference. */
export function sayNotFound({ response }: Asked): void {
  response
    .writeHead(404, { 'content-type': 'application/json' })
    .end(JSON.stringify({ code: 'UNKNOWN_REFERENCE', message: 'No transfer has this reference' }))
}
