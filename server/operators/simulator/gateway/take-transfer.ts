import type { IncomingMessage, ServerResponse } from 'node:http'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { admitTransfer } from '#server/operators/simulator/admit-transfer.ts'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { answer, readJson, refuse } from '#server/operators/simulator/respond.ts'
import type { Simulation } from '#server/operators/simulator/simulation.ts'
import { GATEWAY, type GatewayOrder, orderSchema, transferOf } from './gateway-messages.ts'

/** Handles a submission: a new transfer is accepted or refused, as the table says for its phone number. */
export async function takeTransfer(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  operator: OperatorCode,
): Promise<void> {
  const parsed = orderSchema.safeParse(await readJson(request))
  if (!parsed.success) return refuse(response, 400, 'MALFORMED', 'The body is not a transfer request')
  const order = parsed.data
  if (order.currency !== OPERATORS[operator].country.currency)
    return refuse(response, 400, 'CURRENCY', 'This operator has another currency')
  const admission = await admitTransfer(simulation, { operator, protocol: GATEWAY, order })
  if (admission.kind === 'known') {
    if (!isSameTransfer(admission.entry, operator, order))
      return refuse(response, 409, 'REFERENCE_TAKEN', 'The reference belongs to another transfer')
    return answer(response, 200, transferOf(simulation, admission.entry))
  }
  // Silence: the connection stays open until the caller times out.
  if (admission.kind === 'turned_away')
    return admission.how === 'silence' ? undefined : refuse(response, 500, 'INTERNAL', 'Something went wrong')
  if (admission.isAnswered) answer(response, 202, { ...transferOf(simulation, admission.entry), status: 'PENDING', message: undefined })
}

function isSameTransfer(entry: BookEntry, operator: OperatorCode, order: GatewayOrder): boolean {
  return (
    entry.operator === operator &&
    entry.direction === order.direction &&
    entry.amount === order.amount &&
    entry.currency === order.currency &&
    entry.phoneNumber === order.phoneNumber
  )
}
