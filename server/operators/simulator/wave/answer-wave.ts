import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatMinor } from '#lib/money.ts'
import { actAsCustomer } from '#server/operators/simulator/act-as-customer.ts'
import { admitTransfer } from '#server/operators/simulator/admit-transfer.ts'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import type { BookEntry, TransferOrder } from '#server/operators/simulator/books.ts'
import { isSame } from '#server/operators/simulator/is-same.ts'
import { readJson, answer as send } from '#server/operators/simulator/respond.ts'
import type { SimulatedProtocol, Simulation } from '#server/operators/simulator/simulation.ts'
import { WAVE_OPERATORS, type WaveOperator, waveAccountOf } from './credentials.ts'
import { idOf, type Problem, payoutOf, readCheckout, readPayout, sessionOf } from './wave-messages.ts'

type Call = { simulation: Simulation; request: IncomingMessage; response: ServerResponse; operator: WaveOperator }

/** The Wave Business API, and the page that Wave shows to customers. */
export const WAVE_SIMULATOR: SimulatedProtocol = {
  name: 'wave',
  prefix: 'wave',
  async answer(simulation, request, response, path) {
    if (path.startsWith('/c/')) {
      const session = simulation.books.find(path.slice('/c/'.length))
      return actAsCustomer(simulation, request, response, session, session?.details?.['success_url'])
    }
    const { authorization } = request.headers
    if (authorization === undefined) return refuse(response, 401, 'missing-auth-header', 'Your request should include an HTTP auth header.')
    const operator = WAVE_OPERATORS.find((one) => isSame(authorization, `Bearer ${waveAccountOf(simulation.secret, one).apiKey}`))
    if (!operator) return refuse(response, 401, 'no-matching-api-key', 'The key you provided does not exist.')
    return answerWave({ simulation, request, response, operator }, path)
  },
  callbackOf(simulation, entry, claim) {
    const told: BookEntry = claim ? { ...entry, status: 'SUCCESS' } : entry
    const session = sessionOf(told, simulation.now(), launchUrlOf(undefined, entry.reference))
    const type = told.status === 'SUCCESS' ? 'checkout.session.completed' : 'checkout.session.payment_failed'
    const body = JSON.stringify({ id: `EV_${entry.reference.slice(4)}`, type, data: session })
    const time = String(Math.floor(simulation.now().getTime() / 1_000))
    const secret = waveAccountOf(simulation.secret, entry.operator === 'CIWAVE' ? 'CIWAVE' : 'SNWAVE').signingSecret
    const signature = createHmac('sha256', secret).update(`${time}${body}`).digest('hex')
    return { method: 'POST', headers: { 'content-type': 'application/json', 'wave-signature': `t=${time},v1=${signature}` }, body }
  },
}

async function answerWave(call: Call, path: string): Promise<void> {
  const { simulation, request, response, operator } = call
  const { searchParams } = new URL(request.url ?? '/', 'http://simulator')
  const [, , resource, name = '', last] = path.split('/')
  const isPost = request.method === 'POST'
  if (path === '/v1/balance')
    return send(response, 200, { amount: formatMinor(simulation.books.accountsOf(operator).bothMinor), currency: 'XOF' })
  if (path === '/v1/checkout/sessions' && isPost) return takeCheckout(call)
  if (path === '/v1/payout' && isPost) return takePayout(call)
  if (path === '/v1/checkout/sessions/search' || path === '/v1/payouts/search') {
    const prefix = resource === 'payouts' ? 'pt' : 'cos'
    const entry = simulation.books.find(idOf(prefix, searchParams.get('client_reference') ?? ''))
    return send(response, 200, { result: entry?.operator === operator ? [shown(call, entry)] : [] })
  }
  const entry = simulation.books.find(resource === 'checkout' ? (path.split('/')[4] ?? '') : name)
  if (entry?.operator !== operator) {
    return resource === 'checkout'
      ? refuse(response, 404, 'checkout-session-not-found', 'Checkout session not found.')
      : refuse(response, 404, 'not-found', 'Not found.')
  }
  if (isPost && last !== undefined && path.endsWith('/expire')) simulation.books.fail(entry.reference, 'Timeout op\u00e9rateur')
  return send(response, 200, shown(call, entry))
}

async function takeCheckout(call: Call): Promise<void> {
  const { response } = call
  const order = readCheckout(await readObject(call))
  if (Array.isArray(order)) return refuse(response, 400, 'request-validation-error', 'Request invalid', order)
  if (isUnknownNumber(order)) return refuseNumber(response, 'restrict_payer_mobile')
  const { webhookBaseUrl } = call.simulation
  const callbackUrl = webhookBaseUrl && `${webhookBaseUrl}/operators/callback/${call.operator}`
  return admit(call, { ...order, reference: idOf('cos', order.context || crypto.randomUUID()), callbackUrl })
}

async function takePayout(call: Call): Promise<void> {
  const { response, request, simulation } = call
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || key === '') return refuse(response, 400, 'request-validation-error', 'Missing Idempotency-Key header')
  const order = readPayout(await readObject(call))
  if (Array.isArray(order)) return refuse(response, 400, 'request-validation-error', 'Request invalid', order)
  if (isUnknownNumber(order)) return refuseNumber(response, 'mobile')
  const reference = idOf('pt', order.context || key)
  const known = simulation.books.find(reference)
  if (known && (known.amount !== order.amount || known.phoneNumber !== order.phoneNumber))
    return refuse(response, 409, 'idempotency-mismatch', 'The same idempotency key was used with another body.')
  return admit(call, { ...order, reference })
}

async function admit(call: Call, order: TransferOrder): Promise<void> {
  const { simulation, response, operator } = call
  const admission = await admitTransfer(simulation, { operator, protocol: 'wave', order })
  if (admission.kind === 'turned_away')
    return admission.how === 'silence' ? undefined : refuse(response, 500, 'internal-server-error', 'A server error occurred.')
  if (admission.kind === 'accepted' && !admission.isAnswered) return
  return send(response, 200, shown(call, admission.entry))
}

function shown({ simulation, request }: Call, entry: BookEntry): Record<string, unknown> {
  if (entry.direction === 'DEPOSIT') return payoutOf(entry, simulation.now())
  return sessionOf(entry, simulation.now(), launchUrlOf(request.headers.host, entry.reference))
}

/** Where the customer pays: here, unless nobody asks who could follow it. */
function launchUrlOf(host: string | undefined, id: string): string {
  return host === undefined ? `https://pay.wave.com/c/${id}` : `http://${host}/wave/c/${id}`
}

/** The row of the table for a number that does not exist. */
function isUnknownNumber({ phoneNumber }: Pick<TransferOrder, 'phoneNumber'>): boolean {
  const { result } = behaviourFor(phoneNumber)
  return result.kind === 'failed' && result.message === 'Num\u00e9ro invalide'
}

function refuseNumber(response: ServerResponse, field: string): void {
  refuse(response, 400, 'request-validation-error', 'Request invalid', [{ loc: [field], msg: 'invalid phone number' }])
}

async function readObject({ request }: Call): Promise<Record<string, unknown>> {
  const body = await readJson(request)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function refuse(response: ServerResponse, status: number, code: string, message: string, details?: readonly Problem[]): void {
  send(response, status, { code, message, ...(details && { details }) })
}
