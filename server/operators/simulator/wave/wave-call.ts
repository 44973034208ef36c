import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BookEntry, TransferOrder } from '#server/operators/simulator/books.ts'
import { readJson, answer as send } from '#server/operators/simulator/respond.ts'
import type { Simulation } from '#server/operators/simulator/simulation.ts'
import type { ClientReferences } from './client-references.ts'
import type { WaveOperator } from './credentials.ts'
import type { Problem } from './wave-messages.ts'

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
