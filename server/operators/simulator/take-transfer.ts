import type { IncomingMessage, ServerResponse } from 'node:http'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { type TransferRequest, transferRequestSchema } from '#server/operators/sandbox-protocol/messages.ts'
import { type Behaviour, behaviourFor } from './behaviour.ts'
import type { BookEntry } from './books.ts'
import { answer, readJson, refuse } from './respond.ts'
import { concludeNow, type Simulation, transferOf } from './simulation.ts'

/** Handles a submission: a new transfer is accepted or refused, as the table says for its phone number. */
export async function takeTransfer(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  operator: OperatorCode,
): Promise<void> {
  const parsed = transferRequestSchema.safeParse(await readJson(request))
  if (!parsed.success) return refuse(response, 400, 'MALFORMED', 'The body is not a transfer request')
  const transfer = parsed.data
  if (transfer.currency !== OPERATORS[operator].country.currency)
    return refuse(response, 400, 'CURRENCY', 'This operator has another currency')
  const known = simulation.books.find(transfer.reference)
  if (known) {
    simulation.books.countDuplicate(transfer.reference)
    if (!isSameTransfer(known, operator, transfer))
      return refuse(response, 409, 'REFERENCE_TAKEN', 'The reference belongs to another transfer')
    return answer(response, 200, transferOf(simulation, known))
  }
  const behaviour = behaviourFor(transfer.phoneNumber)
  if (simulation.books.timesTurnedAway(transfer.reference) < behaviour.turnedAway.times) {
    simulation.books.turnAway(transfer.reference)
    // Silence: the connection stays open until the caller times out.
    return behaviour.turnedAway.how === 'silence' ? undefined : refuse(response, 500, 'INTERNAL', 'Something went wrong')
  }
  await accept(simulation, response, { operator, transfer, behaviour })
}

type NewTransfer = { operator: OperatorCode; transfer: TransferRequest; behaviour: Behaviour }

async function accept(simulation: Simulation, response: ServerResponse, { operator, transfer, behaviour }: NewTransfer): Promise<void> {
  const delayMs = { normal: simulation.delayMs, slow: simulation.slowDelayMs, at_once: 0, never: null }[behaviour.due]
  const dueAtMs = delayMs === null ? null : simulation.nowMs() + delayMs
  const entry = simulation.books.accept(operator, transfer, dueAtMs)
  if (behaviour.due === 'at_once') await concludeNow(simulation, entry)
  else if (dueAtMs !== null) simulation.due.add(dueAtMs, entry.reference)
  if (behaviour.answer === 'at_once') {
    answer(response, 202, { ...transferOf(simulation, entry), status: 'PENDING', message: undefined })
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
