import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatMinor } from '#lib/money.ts'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { SIGNATURE_HEADER, signCallback } from '#server/operators/sandbox-protocol/signature.ts'
import { isSame } from '#server/operators/simulator/is-same.ts'
import { answer, refuse } from '#server/operators/simulator/respond.ts'
import type { SimulatedProtocol, Simulation } from '#server/operators/simulator/simulation.ts'
import { GATEWAY, transferOf } from './gateway-messages.ts'
import { takeTransfer } from './take-transfer.ts'

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
