import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Clock } from '#lib/time/time.ts'
import { systemClock } from '#server/clock.ts'
import { createAirtelSimulator } from './airtel/answer-airtel.ts'
import { onBadDay } from './behaviour.ts'
import { Books } from './books.ts'
import { bringFunding } from './bring-funding.ts'
import { createCallbackSender, DueQueue } from './callback-sender.ts'
import { GATEWAY_SIMULATOR } from './gateway/gateway.ts'
import { answer, refuse } from './http.ts'
import { MOOV_SIMULATOR } from './moov/answer-moov.ts'
import { createMtnSimulator } from './mtn/answer-mtn.ts'
import { createOrangeBfSimulator } from './orange-bf/answer-orange-bf.ts'
import { createOrangeCmSimulator } from './orange-cm/answer-orange-cm.ts'
import { createSonatelSimulator } from './orange-sonatel/answer-sonatel.ts'
import { createOrangeWebSimulator } from './orange-web/answer-orange-web.ts'
import { answerPhone, createSimulatedCustomer, inviteCustomer } from './simulated-customer.ts'
import { concludeDue, type Simulation, takeBackLater } from './simulation.ts'
import { sendStatement } from './statements/send-statement.ts'
import { createWaveSimulator } from './wave/answer-wave.ts'

type SimulatorOptions = {
  /** 0 takes a free one. */
  port: number
  host?: string
  /** The folder of the books; they outlive the process. */
  folder: string
  /** Shared with the connectors: authorises calls, signs callbacks. */
  secret: string
  /** From the acceptance to the result. */
  delayMs?: number
  /** The same for the slow row of the table (914). */
  slowDelayMs?: number
  callbackTimeoutMs?: number
  /** Returns a token of its own for each transfer, as some operators do. */
  givesTokens?: boolean
  /** The host that callback addresses must have, where an operator registers one; undefined: any. */
  callbackHost?: string | undefined
  /** The service's address, for operators with which a webhook is registered once; undefined: none is. */
  webhookBaseUrl?: string | undefined
  /** The share of requests that are late, refused or lost, from 0 to 1: an operator on a bad day. */
  badDayShare?: number
  random?: () => number
  clock?: Clock
}

export type Simulator = { url: string; port: number; close(): Promise<void> }

const DELAY_MS = 1_500
const SLOW_DELAY_MS = 60_000
const CALLBACK_TIMEOUT_MS = 5_000

/** Starts the simulator: one HTTP server that acts as all thirteen operators and keeps books of its own. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const clock = options.clock ?? systemClock
  const nowMs = () => clock.now().getTime()
  const books = new Books(options.folder)
  const callbacks = createCallbackSender(options.callbackTimeoutMs ?? CALLBACK_TIMEOUT_MS)
  const due = new DueQueue<string>(nowMs, (reference) => concludeDue(simulation, reference))
  const simulation: Simulation = {
    books,
    due,
    callbacks,
    testers: new Map(),
    customer: createSimulatedCustomer(() => simulation),
    now: () => clock.now(),
    protocols: [
      GATEWAY_SIMULATOR,
      createMtnSimulator(options.secret),
      createAirtelSimulator(options.secret),
      createOrangeCmSimulator(options.secret),
      MOOV_SIMULATOR,
      createWaveSimulator(),
      createOrangeWebSimulator(options.secret),
      createOrangeBfSimulator(options.secret),
      createSonatelSimulator(options.secret),
    ],
    callbackHost: options.callbackHost,
    webhookBaseUrl: options.webhookBaseUrl,
    secret: options.secret,
    delayMs: options.delayMs ?? DELAY_MS,
    slowDelayMs: options.slowDelayMs ?? SLOW_DELAY_MS,
    givesTokens: options.givesTokens ?? false,
  }
  // Transfers that were open when the last process ended are continued.
  for (const entry of books.entries()) {
    if (entry.status === 'PENDING' && entry.dueAtMs !== null) due.add(entry.dueAtMs, entry.reference)
    takeBackLater(simulation, entry)
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // biome-ignore lint/plugin/no-silent-error: a caller may disconnect in the middle.
    response.on('error', () => undefined)
    onBadDay(options, request, response, () => handleRequest(simulation, request, response)).catch((error: unknown) => {
      if (!request.destroyed && !response.closed) process.stderr.write(`The simulator failed: ${String(error)}\n`)
      response.destroy()
    })
  })
  server.listen(options.port, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('The simulator has no port')
  return {
    url: `http://${options.host ?? '127.0.0.1'}:${address.port}`,
    port: address.port,
    async close() {
      due.clear()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await simulation.customer.close()
      await callbacks.close()
      books.close()
    },
  }
}

/** Passes a request to its protocol (README.md lists the prefixes). */
async function handleRequest(simulation: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [pathname = ''] = (request.url ?? '').split('?')
  if (request.method === 'GET' && pathname === '/health') return answer(response, 200, { status: 'up' })
  if (request.method === 'GET' && pathname === '/books') return sendBooks(simulation, response)
  if (request.method === 'GET' && pathname.startsWith('/statements/')) return sendStatement(simulation, request, response)
  if (pathname === '/phone') return answerPhone(simulation, request, response)
  if (pathname === '/customers' && request.method === 'POST') return inviteCustomer(simulation, request, response)
  if (pathname === '/funding' && request.method === 'POST') return bringFunding(simulation, request, response)
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
    if (!response.write(piece)) await untilDrained(response)
    piece = ''
  }
  response.end(`${piece}]}`)
}

/** Resolves when the reader has taken what was written, or is gone; leaves no listener behind, because a long answer waits hundreds of times. */
async function untilDrained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() => waiting.abort())
}
