import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { behaviourFor } from '../behaviour.ts'
import type { BookEntry } from '../books.ts'
import { isSame, readBody, readJson, answer as send } from '../http.ts'
import { actAsCustomer } from '../simulated-customer.ts'
import type { SimulatedProtocol, Simulation } from '../simulation.ts'

const TOKEN_SECONDS = 3_600
const CURRENCIES: Readonly<Record<string, string>> = { ci: 'XOF', ml: 'XOF', sn: 'XOF', cm: 'XAF', dev: 'OUV' }
/** Those of Orange in its other countries; the last one is this simulator's own. */
const CODES: Readonly<Record<string, string>> = {
  'Solde insuffisant': '60019',
  'Num\u00e9ro invalide': '990422',
  'Compte non inscrit': '00066',
  'Transaction annul\u00e9e par le client': '990903',
}
const PATH = /^\/orange-money-webpay\/(\w+)\/v1\/(webpayment|transactionstatus)$/

type Call = { simulation: Simulation; request: IncomingMessage; response: ServerResponse }

/** Orange Web Payment, and the page that Orange shows to customers. */
export function createOrangeWebSimulator(secret: string): SimulatedProtocol {
  const account = orangeWebAccountOf(secret)
  // Lost with the process.
  const tokens = new Map<string, number>()
  /** The orders by their pay_token. */
  const orders = new Map<string, string>()
  /** Orders whose customer is on the way. */
  const paying = new Set<string>()
  return {
    name: 'orange-web',
    prefix: 'orange-web',
    async answer(simulation, request, response, path) {
      const nowMs = simulation.now().getTime()
      if (path === '/oauth/v3/token' && request.method === 'POST') {
        const basic = `Basic ${Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64')}`
        if (!isSame(request.headers.authorization ?? '', basic)) return send(response, 401, { error: 'invalid_client' })
        if ((await readBody(request)) !== 'grant_type=client_credentials') return send(response, 400, { error: 'unsupported_grant_type' })
        const token = randomBytes(24).toString('base64url')
        tokens.set(token, nowMs + TOKEN_SECONDS * 1_000)
        return send(response, 200, { token_type: 'Bearer', access_token: token, expires_in: TOKEN_SECONDS })
      }
      if (path.startsWith('/pay/')) {
        const entry = simulation.books.find(orders.get(path.slice('/pay/'.length)) ?? '')
        return actAsCustomer(simulation, request, response, entry, entry?.details?.['return_url'])
      }
      const bearer = (request.headers.authorization ?? '').replace(/^Bearer /, '')
      if ((tokens.get(bearer) ?? 0) <= nowMs) return refuse(response, 401, 42, 'Expired credentials')
      const [, country = '', name] = PATH.exec(path) ?? []
      const currency = CURRENCIES[country]
      if (!currency || request.method !== 'POST') return refuse(response, 404, 60, 'Resource not found')
      const body = await readJson(request)
      const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
      const call = { simulation, request, response }
      if (name === 'transactionstatus') return sendStatus(call, paying, fields)
      if (fields['merchant_key'] !== account.merchantKey) return refuse(response, 403, 53, 'Unknown merchant')
      return takeOrder(call, orders, fields, currency)
    },
    callbackOf(_simulation, entry, claim) {
      const status = claim ?? (entry.status === 'SUCCESS' ? 'SUCCESS' : 'FAILED')
      const body = JSON.stringify({ status, notif_token: entry.details?.['notif_token'], txnid: txnidOf(entry) })
      return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    },
  }
}

function takeOrder(call: Call, orders: Map<string, string>, fields: Record<string, unknown>, currency: string): void {
  const { simulation, request, response } = call
  const text = (name: string) => (typeof fields[name] === 'string' ? String(fields[name]) : '')
  const [orderId, amount, notifUrl] = [text('order_id'), fields['amount'], text('notif_url')]
  const urls = [notifUrl, text('return_url'), text('cancel_url')]
  // None of its currencies has decimals.
  if (!/^[\w-]{1,30}$/.test(orderId) || !Number.isSafeInteger(amount) || Number(amount) <= 0 || urls.some((url) => !URL.canParse(url)))
    return refuse(response, 400, 23, 'Invalid body field')
  if (fields['currency'] !== currency) return refuse(response, 400, 23, 'Invalid currency')
  if (simulation.books.find(orderId)) {
    simulation.books.countDuplicate(orderId)
    return refuse(response, 400, 25, 'Order already exists')
  }
  // Orange learns no phone number before the customer pays; a tester writes it into the reference.
  const phoneNumber = text('reference')
  const behaviour = behaviourFor(phoneNumber)
  // A customer cannot pay on a page whose address was never received: silence loses the first order, regardless of the result in the row.
  const isSilent = behaviour.answer === 'silence' || behaviour.turnedAway.how === 'silence'
  if (simulation.books.timesTurnedAway(notifUrl) < (isSilent ? 1 : behaviour.turnedAway.times)) {
    simulation.books.turnAway(notifUrl)
    return isSilent ? undefined : refuse(response, 500, 1, 'Internal error')
  }
  const [payToken, notifToken] = [randomBytes(32).toString('hex'), randomBytes(16).toString('hex')]
  orders.set(payToken, orderId)
  simulation.books.accept(
    { operator: 'CIOM', protocol: 'orange-web' },
    {
      reference: orderId,
      direction: 'COLLECT',
      amount: String(amount),
      currency,
      phoneNumber,
      customerName: '',
      context: new URL(notifUrl).searchParams.get('t') ?? '',
      callbackUrl: notifUrl,
      details: { pay_token: payToken, notif_token: notifToken, return_url: text('return_url') },
    },
    // The customer comes once the merchant has shown that it has the address (sendStatus).
    null,
    simulation.now().getTime(),
  )
  const paymentUrl = `http://${request.headers.host}/orange-web/pay/${payToken}`
  send(response, 201, { status: 201, message: 'OK', pay_token: payToken, payment_url: paymentUrl, notif_token: notifToken })
}

/**
 * A query with the pay_token shows that the merchant has got the page's address, so that a customer can follow it. Before that no customer
 * pays: the reply may have been lost, and then the merchant makes another order.
 */
function sendStatus({ simulation, response }: Call, paying: Set<string>, fields: Record<string, unknown>): void {
  const entry = simulation.books.find(String(fields['order_id']))
  const isRight = entry?.details?.['pay_token'] === fields['pay_token'] && Number(entry?.amount) === fields['amount']
  if (!entry || !isRight) return refuse(response, 400, 23, 'Unknown order')
  const delayMs = { normal: simulation.delayMs, slow: simulation.slowDelayMs, at_once: 0, never: null }[behaviourFor(entry.phoneNumber).due]
  if (entry.status === 'PENDING' && delayMs !== null && !paying.has(entry.reference)) {
    paying.add(entry.reference)
    simulation.due.add(simulation.now().getTime() + delayMs, entry.reference)
  }
  send(response, 201, { status: statusOf(entry), order_id: entry.reference, txnid: txnidOf(entry), ...reasonOf(entry) })
}

/** A customer who does nothing lets the page expire. */
function statusOf({ status, message }: BookEntry): string {
  if (status !== 'FAILED') return status === 'SUCCESS' ? 'SUCCESS' : 'INITIATED'
  return message === 'Timeout op\u00e9rateur' ? 'EXPIRED' : 'FAILED'
}

/** The one field that Orange itself does not send: of a failure it says only that it is one. */
function reasonOf(entry: BookEntry): { code: string } | undefined {
  const code = statusOf(entry) === 'FAILED' ? CODES[entry.message ?? ''] : undefined
  return code === undefined ? undefined : { code }
}

/** Empty before the customer has paid; always the same for one order. */
export function txnidOf({ status, reference }: Pick<BookEntry, 'status' | 'reference'>): string {
  return status === 'SUCCESS' ? `MP260301.1000.${reference.slice(0, 12).toUpperCase()}${reference.slice(-4).toUpperCase()}` : ''
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  send(response, status, { code, message, description: message })
}

/** The application and the merchant of Orange Web Payment; derived from the simulator's secret. */
export function orangeWebAccountOf(secret: string): { clientId: string; clientSecret: string; merchantKey: string } {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-web ${name}`).digest('hex')
  return { clientId: hex('id').slice(0, 32), clientSecret: hex('secret').slice(0, 16), merchantKey: hex('merchant').slice(0, 8) }
}
