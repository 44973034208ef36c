import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { formatMinor } from '#lib/money/money.ts'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { SIGNATURE_HEADER, signCallback } from '#server/operators/sandbox-protocol/messages.ts'
import type { BookEntry } from '../books.ts'
import { answer, isSame, readJson, refuse } from '../http.ts'
import { admitTransfer, type SimulatedProtocol, type Simulation } from '../simulation.ts'

const GATEWAY = 'gateway'

/** The transfer as the gateway protocol accepts it. Written apart from the connector, so that a mistake there is not repeated here. */
const orderSchema = z.object({
  reference: z.uuid(),
  direction: z.enum(['COLLECT', 'DEPOSIT']),
  amount: z.string().regex(/^\d{1,10}(\.\d{1,2})?$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
  phoneNumber: z.string().regex(/^\d{6,15}$/),
  customerName: z.string().max(400),
  context: z.string().max(100),
  callbackUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
})
type GatewayOrder = z.infer<typeof orderSchema>

/** The transfer as the gateway reports it. */
function transferOf(simulation: Simulation, entry: BookEntry): Record<string, string | undefined> {
  const digits = entry.reference.replaceAll('-', '').toUpperCase()
  return {
    reference: entry.reference,
    status: entry.status,
    message: entry.message,
    operatorReference: gatewayIdOf(entry.reference),
    token: simulation.givesTokens ? `PT${digits.slice(12)}` : undefined,
    context: entry.context,
    amount: entry.amount,
    currency: entry.currency,
    phoneNumber: entry.phoneNumber,
  }
}

/** The gateway's own name of a transfer. */
export function gatewayIdOf(reference: string): string {
  return `SIM${reference.replaceAll('-', '').toUpperCase().slice(0, 17)}`
}

/** The product's own protocol, for every operator code. */
export const GATEWAY_SIMULATOR: SimulatedProtocol = {
  name: GATEWAY,
  prefix: 'v1',
  answer: answerGateway,
  callbackOf(simulation, entry, claim) {
    const transfer = transferOf(simulation, entry)
    const body = JSON.stringify(claim ? { ...transfer, status: claim, message: undefined } : transfer)
    const signature = signCallback(simulation.secret, body, simulation.now())
    return { method: 'POST', headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature }, body }
  },
}

async function answerGateway(simulation: Simulation, request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const [, code, resource, reference] = path.split('/')
  if (!isOperatorCode(code)) return refuse(response, 404, 'UNKNOWN_PATH', 'No such resource')
  if (!isSame(request.headers.authorization ?? '', `Bearer ${simulation.secret}`))
    return refuse(response, 401, 'UNAUTHORISED', 'The secret is not right')
  if (resource === 'balance' && request.method === 'GET') return sendBalance(simulation, response, code)
  if (resource !== 'transfers') return refuse(response, 404, 'UNKNOWN_PATH', 'No such resource')
  if (request.method === 'GET' && reference) return sendTransfer(simulation, response, code, reference)
  if (request.method === 'POST' && !reference) return takeTransfer(simulation, request, response, code)
  return refuse(response, 405, 'METHOD', 'This path does not take that method')
}

function sendTransfer(simulation: Simulation, response: ServerResponse, operator: OperatorCode, reference: string): void {
  const entry = simulation.books.find(reference)
  if (entry?.operator === operator) answer(response, 200, transferOf(simulation, entry))
  else refuse(response, 404, 'UNKNOWN_REFERENCE', 'No transfer has this reference')
}

function sendBalance({ books }: Simulation, response: ServerResponse, operator: OperatorCode): void {
  const { collectMinor, depositMinor } = books.accountsOf(operator)
  const currency = OPERATORS[operator].country.currency
  answer(response, 200, { collect: formatMinor(collectMinor), deposit: formatMinor(depositMinor), currency })
}

/** Handles a submission: a new transfer is accepted or refused, as the table says for its phone number. */
async function takeTransfer(
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
