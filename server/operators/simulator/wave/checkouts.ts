import { randomBytes } from 'node:crypto'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { answer as send } from '../http.ts'
import { admitTransfer } from '../simulation.ts'
import { type Call, findOwn, readObject, refuse, refuseNumber } from './wave-call.ts'
import { isUnknownNumber, launchUrlOf, readCheckout, sessionOf, transactionIdOf } from './wave-messages.ts'

const SESSIONS = '/v1/checkout/sessions'

/** The calls of checkouts; false for a path that is none of them. */
export async function answerCheckouts(call: Call, path: string): Promise<boolean> {
  if (!path.startsWith(SESSIONS)) return false
  const isPost = call.request.method === 'POST'
  const [id = '', action] = path.slice(SESSIONS.length + 1).split('/')
  if (id === '' && isPost) await takeCheckout(call)
  else if (id === '') sendSession(call, findByTransactionId(call))
  else if (id === 'search' && !isPost) searchSessions(call)
  else if (!isPost && action === undefined) sendSession(call, findOwn(call, id, 'COLLECT'))
  else if (isPost && (action === 'expire' || action === 'refund')) endSession(call, id, action)
  else return false
  return true
}

/** Opens a session. Nothing keeps a sender from opening another one for the same order. */
async function takeCheckout(call: Call): Promise<void> {
  const { response, simulation, operator, clientReferences } = call
  const order = readCheckout(await readObject(call))
  if (Array.isArray(order)) return refuse(response, 400, 'request-validation-error', 'Request invalid', order)
  if (isUnknownNumber(order.phoneNumber)) return refuseNumber(response, 'restrict_payer_mobile')
  const { webhookBaseUrl } = simulation
  const callbackUrl = webhookBaseUrl && `${webhookBaseUrl}/operators/callback/${operator}`
  const reference = `cos-${randomBytes(8).toString('hex')}`
  const admission = await admitTransfer(simulation, {
    operator,
    protocol: 'wave',
    order: { ...order, reference, callbackUrl },
    sentAs: order.context === '' ? reference : `${operator} ${order.context}`,
  })
  if (admission.kind === 'turned_away')
    return admission.how === 'silence' ? undefined : refuse(response, 500, 'internal-server-error', 'A server error occurred.')
  clientReferences.add(simulation.books, admission.entry)
  if (admission.kind === 'known' || admission.isAnswered) sendSession(call, admission.entry)
}

function searchSessions(call: Call): void {
  const { simulation, request, response, operator, clientReferences } = call
  const context = new URL(request.url ?? '/', 'http://simulator').searchParams.get('client_reference') ?? ''
  const found = clientReferences.find(simulation.books, { operator, direction: 'COLLECT', context })
  send(response, 200, { result: found.map((session) => shown(call, session)) })
}

function findByTransactionId(call: Call): BookEntry | undefined {
  const sought = new URL(call.request.url ?? '/', 'http://simulator').searchParams.get('transaction_id')
  for (const { reference, protocol, status } of call.simulation.books.entries()) {
    if (protocol === 'wave' && status === 'SUCCESS' && transactionIdOf(reference) === sought) return findOwn(call, reference, 'COLLECT')
  }
  return undefined
}

function endSession(call: Call, id: string, action: 'expire' | 'refund'): void {
  const { simulation, response } = call
  const session = findOwn(call, id, 'COLLECT')
  if (!session) return sendSession(call, undefined)
  if (action === 'expire') {
    // Only an open one. Wave does not publish the code of this refusal.
    if (session.status !== 'PENDING') return refuse(response, 409, 'checkout-session-not-open', 'The checkout session is not open.')
    simulation.books.fail(session.reference, 'Timeout op\u00e9rateur')
    return void response.writeHead(200).end()
  }
  const refund = { id: `${session.reference}-refund`, amount: session.amount, atMs: simulation.now().getTime() }
  // A repeated refund is answered like the first, and moves nothing.
  if (session.refunds.length === 0 && !simulation.books.refund(session.reference, 'collect', refund))
    return refuse(response, 400, 'checkout-refund-failed', 'Only a checkout that was paid can be refunded.')
  response.writeHead(200).end()
}

function sendSession(call: Call, session: BookEntry | undefined): void {
  if (!session) return refuse(call.response, 404, 'checkout-session-not-found', 'Checkout session not found.')
  send(call.response, 200, shown(call, session))
}

function shown({ request }: Call, session: BookEntry): Record<string, unknown> {
  return sessionOf(session, launchUrlOf(request.headers.host, session.reference))
}
