import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, refuse } from './respond.ts'
import { answerPhone, inviteCustomer } from './simulated-customer.ts'
import type { Simulation } from './simulation.ts'

/** Passes a request to its protocol (README.md lists the prefixes). */
export async function handleRequest(simulation: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [pathname = ''] = (request.url ?? '').split('?')
  if (request.method === 'GET' && pathname === '/health') return answer(response, 200, { status: 'up' })
  if (request.method === 'GET' && pathname === '/books') return sendBooks(simulation, response)
  if (pathname === '/phone') return answerPhone(simulation, request, response)
  if (pathname === '/customers' && request.method === 'POST') return inviteCustomer(simulation, request, response)
  const protocol = simulation.protocols.find(({ prefix }) => pathname.startsWith(`/${prefix}/`))
  if (!protocol) return refuse(response, 404, 'UNKNOWN_PATH', 'No such resource')
  return protocol.answer(simulation, request, response, pathname.slice(protocol.prefix.length + 1))
}

/** Everything that was ever accepted, in order of acceptance, written piece by piece so that a million fit. */
async function sendBooks(simulation: Simulation, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  let piece = '{"entries":['
  let count = 0
  for (const entry of simulation.books.entries()) {
    const { callbackUrl: _url, customerName: _name, ...shown } = entry
    piece += (count++ > 0 ? ',' : '') + JSON.stringify(shown)
    if (piece.length < 64 * 1024) continue
    // A reader that is gone never drains: its connection's end is the other thing to wait for.
    if (response.closed) return
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    piece = ''
  }
  response.end(`${piece}]}`)
}
