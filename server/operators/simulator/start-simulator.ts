import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import type { Clock } from '#lib/time.ts'
import { systemClock } from '#server/clock.ts'
import {
  operatorPathSchema,
  type Transfer,
  type TransferRequest,
  transferRequestSchema,
} from '#server/operators/sandbox-protocol/messages.ts'
import { behaviourFor } from './behaviour.ts'
import { type BookEntry, Books } from './books.ts'
import { type CallbackSender, createCallbackSender } from './callback-sender.ts'
import { DueQueue } from './due-queue.ts'

export type SimulatorOptions = {
  /** 0 takes a free one. */
  port: number
  host?: string
  /** Where the books are kept; they outlive the process. */
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
  clock?: Clock
}

export type Simulator = { url: string; port: number; close(): Promise<void> }

type Room = { options: SimulatorOptions; books: Books; due: DueQueue<string>; callbacks: CallbackSender; nowMs(): number }

const DELAY_MS = 1_500
const SLOW_DELAY_MS = 60_000
const CALLBACK_TIMEOUT_MS = 5_000
const BODY_BYTES_MAX = 64 * 1024
const BALANCE = '100000000'

/** Starts the simulator: one HTTP server that acts as all thirteen operators and keeps books of its own. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const clock = options.clock ?? systemClock
  const nowMs = () => clock.now().getTime()
  const books = new Books(options.folder)
  const callbacks = createCallbackSender(options.secret, options.callbackTimeoutMs ?? CALLBACK_TIMEOUT_MS, () => clock.now())
  const due = new DueQueue<string>(nowMs, (reference) => conclude(room, reference))
  const room: Room = { options, books, due, callbacks, nowMs }
  // What was open when the last process ended goes on.
  for (const entry of books.entries()) if (entry.status === 'PENDING' && entry.dueAtMs !== null) due.add(entry.dueAtMs, entry.reference)

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // A caller that goes away in the middle; for anything else this is the place where it shows.
    response.on('error', () => undefined)
    handle(room, request, response).catch((error: unknown) => {
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
      await callbacks.close()
      books.close()
    },
  }
}

async function handle(room: Room, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [pathname = ''] = (request.url ?? '').split('?')
  if (request.method === 'GET' && pathname === '/health') return answer(response, 200, { status: 'up' })
  if (request.method === 'GET' && pathname === '/books') return sendBooks(room, response)
  const [, version, code, resource, reference] = pathname.split('/')
  const operator = operatorPathSchema.safeParse(code)
  if (version !== 'v1' || !operator.success) return refuse(response, 404, 'UNKNOWN_PATH', 'There is nothing at this path')
  if (!isSame(request.headers.authorization ?? '', `Bearer ${room.options.secret}`))
    return refuse(response, 401, 'UNAUTHORISED', 'The secret is not right')
  if (resource === 'balance' && request.method === 'GET') return sendBalance(response, operator.data)
  if (resource !== 'transfers') return refuse(response, 404, 'UNKNOWN_PATH', 'There is nothing at this path')
  if (request.method === 'GET' && reference) return sendTransfer(room, response, operator.data, reference)
  if (request.method === 'POST' && !reference) return takeTransfer(room, request, response, operator.data)
  return refuse(response, 405, 'METHOD', 'This path does not take that method')
}

async function takeTransfer(room: Room, request: IncomingMessage, response: ServerResponse, operator: OperatorCode): Promise<void> {
  const parsed = transferRequestSchema.safeParse(await readJson(request))
  if (!parsed.success) return refuse(response, 400, 'MALFORMED', 'The body is not a transfer request')
  const transfer = parsed.data
  if (transfer.currency !== OPERATORS[operator].country.currency)
    return refuse(response, 400, 'CURRENCY', 'This operator has another currency')
  const known = room.books.find(transfer.reference)
  if (known) {
    room.books.countDuplicate(transfer.reference)
    if (!isSameTransfer(known, operator, transfer))
      return refuse(response, 409, 'REFERENCE_TAKEN', 'The reference belongs to another transfer')
    return answer(response, 200, transferOf(room, known))
  }
  const behaviour = behaviourFor(transfer.phoneNumber)
  if (room.books.timesTurnedAway(transfer.reference) < behaviour.turnedAway.times) {
    room.books.turnAway(transfer.reference)
    // Silence: the connection stays open until the caller gives up.
    return behaviour.turnedAway.how === 'silence' ? undefined : refuse(response, 500, 'INTERNAL', 'Something went wrong')
  }
  const delayMs = { normal: room.options.delayMs ?? DELAY_MS, slow: room.options.slowDelayMs ?? SLOW_DELAY_MS, at_once: 0, never: null }[
    behaviour.due
  ]
  const dueAtMs = delayMs === null ? null : room.nowMs() + delayMs
  const entry = room.books.accept(operator, transfer, dueAtMs)
  if (behaviour.due === 'at_once') await concludeNow(room, entry)
  else if (dueAtMs !== null) room.due.add(dueAtMs, entry.reference)
  if (behaviour.answer === 'at_once') {
    answer(response, 202, { ...transferOf(room, entry), status: 'PENDING', message: undefined })
  }
}

/** The time of a transfer has come: the money moves or does not, and the callbacks leave. */
function conclude(room: Room, reference: string): void {
  const entry = room.books.find(reference)
  if (entry?.status !== 'PENDING') return
  enterResult(room, entry)
  if (!entry.callbackUrl) return
  const body = callbackBody(room, entry)
  for (let count = 0; count < behaviourFor(entry.phoneNumber).callbacks; count++) room.callbacks.enqueue(entry.callbackUrl, body)
}

/** The callback arrives before the submission is answered. */
async function concludeNow(room: Room, entry: BookEntry): Promise<void> {
  enterResult(room, entry)
  if (entry.callbackUrl) await room.callbacks.send(entry.callbackUrl, callbackBody(room, entry))
}

function enterResult(room: Room, entry: BookEntry): void {
  const { result } = behaviourFor(entry.phoneNumber)
  if (result.kind === 'executed') room.books.execute(entry.reference)
  else room.books.fail(entry.reference, result.message)
}

function callbackBody(room: Room, entry: BookEntry): string {
  const claim = behaviourFor(entry.phoneNumber).callbackClaim
  const transfer = transferOf(room, entry)
  return JSON.stringify(claim === 'truth' ? transfer : { ...transfer, status: claim, message: undefined })
}

function sendTransfer(room: Room, response: ServerResponse, operator: OperatorCode, reference: string): void {
  const entry = room.books.find(reference)
  if (entry?.operator === operator) answer(response, 200, transferOf(room, entry))
  else refuse(response, 404, 'UNKNOWN_REFERENCE', 'No transfer has this reference')
}

function sendBalance(response: ServerResponse, operator: OperatorCode): void {
  answer(response, 200, { collect: BALANCE, deposit: BALANCE, currency: OPERATORS[operator].country.currency })
}

/** Everything that was ever accepted, in order of acceptance, written piece by piece so that a million fit. */
async function sendBooks(room: Room, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  let piece = '{"entries":['
  let count = 0
  for (const entry of room.books.entries()) {
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

function transferOf(room: Room, entry: BookEntry): Transfer {
  const digits = entry.reference.replaceAll('-', '').toUpperCase()
  return {
    reference: entry.reference,
    status: entry.status,
    message: entry.message,
    operatorReference: `SIM${digits.slice(0, 17)}`,
    token: room.options.givesTokens ? `PT${digits.slice(12)}` : undefined,
    context: entry.context,
  }
}

function isSameTransfer(entry: BookEntry, operator: OperatorCode, transfer: TransferRequest): boolean {
  return (
    entry.operator === operator &&
    entry.direction === transfer.direction &&
    entry.amount === transfer.amount &&
    entry.currency === transfer.currency &&
    entry.phoneNumber === transfer.phoneNumber
  )
}

/** In a time that does not depend on where the texts differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

async function readJson(request: IncomingMessage): Promise<unknown> {
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

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  answer(response, status, { code, message })
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
