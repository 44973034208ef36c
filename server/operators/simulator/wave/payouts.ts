import { parseMinor } from '#lib/money/money.ts'
import type { BookEntry, TransferOrder } from '#server/operators/simulator/books.ts'
import { answer as send } from '../http.ts'
import { acceptTransfer, admitTransfer } from '../simulation.ts'
import { type Call, findOwn, fingerprintOf, readObject, refuse, refuseNumber } from './wave-call.ts'
import { batchIdOf, isUnknownNumber, payoutIdOf, payoutOf, readPayout } from './wave-messages.ts'

const REVERSAL_DAYS = 3
const BATCH_MAX = 500

/** The calls of payouts; false for a path that is none of them. */
export async function answerPayouts(call: Call, path: string): Promise<boolean> {
  const { request } = call
  const isPost = request.method === 'POST'
  const [, , resource = '', id = '', action] = path.split('/')
  if (isPost && path === '/v1/payout') await takePayout(call)
  else if (isPost && path === '/v1/payout-batch') await takeBatch(call)
  else if (!isPost && path === '/v1/payouts/search') searchPayouts(call)
  // Wave's list of calls has one form of the path, and the section about batches the other.
  else if (!isPost && (resource === 'payout-batch' || resource === 'payouts-batch')) sendBatch(call, id)
  else if (resource === 'payout' && isPost && action === 'reverse') reverse(call, id)
  else if (resource === 'payout' && !isPost && action === undefined) sendPayout(call, id)
  else return false
  return true
}

/**
 * Pays once under an `Idempotency-Key`: the same key with the same body returns the first payout, with another body it is refused, and
 * another key pays again, whatever the reference of its sender is.
 */
async function takePayout(call: Call): Promise<void> {
  const { response, operator, simulation, clientReferences } = call
  const key = keyOf(call)
  if (key === undefined) return
  const body = await readObject(call)
  const order = readPayout(body)
  if (Array.isArray(order)) return refuse(response, 400, 'request-validation-error', 'Request invalid', order)
  const reference = payoutIdOf(operator, key)
  const fingerprint = fingerprintOf(body)
  const known = findOwn(call, reference, 'DEPOSIT')
  if (known && !isSameBody(known, order, fingerprint)) return refuseMismatch(call)
  if (!known && isUnknownNumber(order.phoneNumber)) return refuseNumber(response, 'mobile')
  if (!known && parseMinor(order.amount) > simulation.books.availableMinorOf(operator)) return refuseForFunds(call)
  const admission = await admitTransfer(simulation, {
    operator,
    protocol: 'wave',
    order: { ...order, reference, details: { ...order.details, fingerprint } },
  })
  if (admission.kind === 'turned_away')
    return admission.how === 'silence' ? undefined : refuse(response, 500, 'internal-server-error', 'A server error occurred.')
  clientReferences.add(simulation.books, admission.entry)
  if (admission.kind === 'accepted' && !admission.isAnswered) return
  return send(response, 200, payoutOf(admission.entry))
}

/** Each payout of a batch is accepted, and those that cannot be paid have failed. */
async function takeBatch(call: Call): Promise<void> {
  const { response, operator, simulation, clientReferences } = call
  const key = keyOf(call)
  if (key === undefined) return
  const body = await readObject(call)
  const rows: unknown[] = Array.isArray(body['payouts']) ? body['payouts'] : []
  const orders = rows.map((row) => readPayout(typeof row === 'object' && row !== null ? { ...row } : {}))
  const problems = orders.flatMap((order, index) =>
    Array.isArray(order) ? order.map(({ loc, msg }) => ({ loc: ['payouts', String(index), ...loc], msg })) : [],
  )
  if (orders.length === 0 || orders.length > BATCH_MAX) problems.push({ loc: ['payouts'], msg: `expected 1 to ${BATCH_MAX} payouts` })
  if (problems.length > 0) return refuse(response, 400, 'request-validation-error', 'Request invalid', problems)
  const batch = batchIdOf(operator, key)
  const fingerprint = fingerprintOf(body)
  const [known] = payoutsOf(call, batch)
  if (known) return known.details?.['fingerprint'] === fingerprint ? send(response, 200, { id: batch }) : refuseMismatch(call)
  for (const [index, order] of orders.entries()) {
    if (Array.isArray(order)) continue
    const canPay = parseMinor(order.amount) <= simulation.books.availableMinorOf(operator)
    const reference = payoutIdOf(operator, `${batch} ${index}`)
    const details = { ...order.details, fingerprint, batch }
    const entry = acceptTransfer(simulation, { operator, protocol: 'wave', order: { ...order, reference, details } })
    if (!canPay) simulation.books.fail(entry.reference, 'Solde insuffisant')
    clientReferences.add(simulation.books, entry)
  }
  send(response, 200, { id: batch })
}

function sendBatch(call: Call, id: string): void {
  const payouts = payoutsOf(call, id)
  if (payouts.length === 0) return refuse(call.response, 404, 'not-found', 'Not found.')
  const status = payouts.some((payout) => payout.status === 'PENDING') ? 'processing' : 'complete'
  send(call.response, 200, { id, status, payouts: payouts.map(payoutOf) })
}

function searchPayouts({ simulation, request, response, operator, clientReferences }: Call): void {
  const context = new URL(request.url ?? '/', 'http://simulator').searchParams.get('client_reference') ?? ''
  const found = clientReferences.find(simulation.books, { operator, direction: 'DEPOSIT', context })
  send(response, 200, { result: found.map(payoutOf) })
}

function sendPayout(call: Call, id: string): void {
  const payout = findOwn(call, id, 'DEPOSIT')
  if (!payout) return refuse(call.response, 404, 'not-found', 'Not found.')
  send(call.response, 200, payoutOf(payout))
}

/** Takes a payout back, once; again it answers the same and moves nothing. */
function reverse(call: Call, id: string): void {
  const { simulation, response } = call
  const payout = findOwn(call, id, 'DEPOSIT')
  if (!payout) return refuse(response, 404, 'not-found', 'Not found.')
  if (payout.refunds.length > 0) return void response.writeHead(200).end()
  const nowMs = simulation.now().getTime()
  if (nowMs - payout.acceptedAtMs > REVERSAL_DAYS * 86_400_000)
    return refuse(response, 400, 'payout-reversal-time-limit-exceeded', 'The payout is too old to be reversed.')
  const refund = { id: `${payout.reference}-reversal`, amount: payout.amount, atMs: nowMs }
  // Wave publishes no code for a payout that has not been paid.
  if (!simulation.books.refund(payout.reference, 'deposit', refund))
    return refuse(response, 400, 'payout-reversal-failed', 'Only a payout that succeeded can be reversed.')
  response.writeHead(200).end()
}

function payoutsOf(call: Call, batch: string): BookEntry[] {
  const payouts: BookEntry[] = []
  for (const { reference, details } of call.simulation.books.entries()) {
    const payout = details?.['batch'] === batch ? findOwn(call, reference, 'DEPOSIT') : undefined
    if (payout) payouts.push(payout)
  }
  return payouts
}

function keyOf({ request, response }: Call): string | undefined {
  const key = request.headers['idempotency-key']
  if (typeof key === 'string' && key !== '') return key
  refuse(response, 400, 'request-validation-error', 'Missing Idempotency-Key header')
  return undefined
}

/** A payout of the sandbox's history has no fingerprint. */
function isSameBody({ details, amount, phoneNumber, context }: BookEntry, order: Omit<TransferOrder, 'reference'>, given: string): boolean {
  const kept = details?.['fingerprint']
  if (kept !== undefined) return kept === given
  return amount === order.amount && phoneNumber === order.phoneNumber && context === order.context
}

function refuseMismatch({ response }: Call): void {
  refuse(response, 409, 'idempotency-mismatch', 'The same idempotency key was used with another body.')
}

function refuseForFunds({ response }: Call): void {
  refuse(response, 400, 'insufficient-funds', 'The wallet does not hold the amount.')
}
