import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BookEntry, Books, TransferOrder } from '../books.ts'
import { readJson, answer as send } from '../http.ts'
import type { Simulation } from '../simulation.ts'
import type { Problem, WaveOperator } from './wave-messages.ts'

/** A request with the API key of one wallet. */
export type Call = {
  simulation: Simulation
  request: IncomingMessage
  response: ServerResponse
  operator: WaveOperator
  clientReferences: ClientReferences
}

/** Answers with an error of Wave. */
export function refuse(response: ServerResponse, status: number, code: string, message: string, details?: readonly Problem[]): void {
  send(response, status, { code, message, ...(details && { details }) })
}

export function refuseNumber(response: ServerResponse, field: string): void {
  refuse(response, 400, 'request-validation-error', 'Request invalid', [{ loc: [field], msg: 'invalid phone number' }])
}

/** The transfer of this wallet with this id. */
export function findOwn({ simulation, operator }: Call, id: string, direction: TransferOrder['direction']): BookEntry | undefined {
  const entry = simulation.books.find(id)
  return entry?.protocol === 'wave' && entry.operator === operator && entry.direction === direction ? entry : undefined
}

/** The body of a request; of what is not an object, an empty one. */
export async function readObject({ request }: Call): Promise<Record<string, unknown>> {
  const body = await readJson(request)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** The same for two bodies with the same fields, in any order. */
export function fingerprintOf(body: Record<string, unknown>): string {
  const sorted = Object.entries(body).toSorted(([left], [right]) => left.localeCompare(right))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32)
}

/** The transfers of each wallet by the reference that their sender gave them, which need not be unique. */
export class ClientReferences {
  #ids: Map<string, string[]> | undefined

  /** Remembers a transfer that was accepted just now. */
  add(books: Books, entry: BookEntry): void {
    const ids = this.#read(books)
    const known = ids.get(keyOf(entry)) ?? []
    if (!known.includes(entry.reference)) ids.set(keyOf(entry), [...known, entry.reference])
  }

  /** The transfers of this operator and direction that were sent with this reference, in order of acceptance. */
  find(books: Books, sought: Pick<BookEntry, 'operator' | 'direction' | 'context'>): BookEntry[] {
    return (this.#read(books).get(keyOf(sought)) ?? []).flatMap((id) => books.find(id) ?? [])
  }

  /** From the books, so that a restart forgets none. */
  #read(books: Books): Map<string, string[]> {
    if (this.#ids) return this.#ids
    this.#ids = new Map()
    for (const entry of books.entries()) if (entry.protocol === 'wave' && entry.context !== '') this.add(books, entry)
    return this.#ids
  }
}

function keyOf({ operator, direction, context }: Pick<BookEntry, 'operator' | 'direction' | 'context'>): string {
  return `${operator} ${direction} ${context}`
}
