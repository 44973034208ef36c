import type { Transfer } from '#server/operators/sandbox-protocol/messages.ts'
import { behaviourFor } from './behaviour.ts'
import type { BookEntry, Books } from './books.ts'
import type { CallbackSender } from './callback-sender.ts'
import type { DueQueue } from './due-queue.ts'

/** What one simulator works with. */
export type Simulation = {
  books: Books
  due: DueQueue<string>
  callbacks: CallbackSender
  secret: string
  delayMs: number
  slowDelayMs: number
  givesTokens: boolean
  nowMs(): number
}

/** Ends a transfer that is due: the money moves or does not, and the callbacks are sent. */
export function conclude(simulation: Simulation, reference: string): void {
  const entry = simulation.books.find(reference)
  if (entry?.status !== 'PENDING') return
  enterResult(simulation, entry)
  if (!entry.callbackUrl) return
  const body = callbackBody(simulation, entry)
  for (let count = 0; count < behaviourFor(entry.phoneNumber).callbacks; count++) simulation.callbacks.enqueue(entry.callbackUrl, body)
}

/** The same, but the callback arrives before the submission is answered. */
export async function concludeNow(simulation: Simulation, entry: BookEntry): Promise<void> {
  enterResult(simulation, entry)
  if (entry.callbackUrl) await simulation.callbacks.send(entry.callbackUrl, callbackBody(simulation, entry))
}

function enterResult(simulation: Simulation, entry: BookEntry): void {
  const { result } = behaviourFor(entry.phoneNumber)
  if (result.kind === 'executed') simulation.books.execute(entry.reference)
  else simulation.books.fail(entry.reference, result.message)
}

function callbackBody(simulation: Simulation, entry: BookEntry): string {
  const claim = behaviourFor(entry.phoneNumber).callbackClaim
  const transfer = transferOf(simulation, entry)
  return JSON.stringify(claim === 'truth' ? transfer : { ...transfer, status: claim, message: undefined })
}

/** The transfer as the operator reports it. */
export function transferOf(simulation: Simulation, entry: BookEntry): Transfer {
  const digits = entry.reference.replaceAll('-', '').toUpperCase()
  return {
    reference: entry.reference,
    status: entry.status,
    message: entry.message,
    operatorReference: `SIM${digits.slice(0, 17)}`,
    token: simulation.givesTokens ? `PT${digits.slice(12)}` : undefined,
    context: entry.context,
  }
}
