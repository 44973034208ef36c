import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { operatorPathSchema } from '#server/operators/sandbox-protocol/messages.ts'
import { answer, refuse } from './respond.ts'
import { type Simulation, transferOf } from './simulation.ts'
import { takeTransfer } from './take-transfer.ts'

const BALANCE = '100000000'

/** Answers one request to the simulator (README.md lists the paths). */
export async function handleRequest(simulation: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [pathname = ''] = (request.url ?? '').split('?')
  if (request.method === 'GET' && pathname === '/health') return answer(response, 200, { status: 'up' })
  if (request.method === 'GET' && pathname === '/books') return sendBooks(simulation, response)
  const [, version, code, resource, reference] = pathname.split('/')
  const operator = operatorPathSchema.safeParse(code)
  if (version !== 'v1' || !operator.success) return refuse(response, 404, 'UNKNOWN_PATH', 'No such resource')
  if (!isSame(request.headers.authorization ?? '', `Bearer ${simulation.secret}`))
    return refuse(response, 401, 'UNAUTHORISED', 'The secret is not right')
  if (resource === 'balance' && request.method === 'GET') return sendBalance(response, operator.data)
  if (resource !== 'transfers') return refuse(response, 404, 'UNKNOWN_PATH', 'No such resource')
  if (request.method === 'GET' && reference) return sendTransfer(simulation, response, operator.data, reference)
  if (request.method === 'POST' && !reference) return takeTransfer(simulation, request, response, operator.data)
  return refuse(response, 405, 'METHOD', 'This path does not take that method')
}

function sendTransfer(simulation: Simulation, response: ServerResponse, operator: OperatorCode, reference: string): void {
  const entry = simulation.books.find(reference)
  if (entry?.operator === operator) answer(response, 200, transferOf(simulation, entry))
  else refuse(response, 404, 'UNKNOWN_REFERENCE', 'No transfer has this reference')
}

function sendBalance(response: ServerResponse, operator: OperatorCode): void {
  answer(response, 200, { collect: BALANCE, deposit: BALANCE, currency: OPERATORS[operator].country.currency })
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

/** In a time that does not depend on where the texts differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
