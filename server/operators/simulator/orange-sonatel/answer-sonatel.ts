import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatMinor } from '#lib/money/money.ts'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { laterReference, transactionsOf } from '#server/operators/simulator/books.ts'
import { isSame, readBody, readJson, answer as send } from '../http.ts'
import { admitTransfer, type SimulatedProtocol, type Simulation } from '../simulation.ts'
import { answerQrPage, isQrOver, isUnusedQr, takeQrCode } from './qr-codes.ts'
import { OneTimeCodes, RetailerPin, sonatelAccountOf } from './sonatel-credentials.ts'
import {
  fieldsOf,
  PROBLEMS,
  type Problem,
  readOrder,
  refusalFor,
  sentReferenceOf,
  statusOf,
  transactionIdOf,
  transactionOf,
} from './sonatel-messages.ts'

const TOKEN_SECONDS = 300
/** The sequence that a customer dials for a code. */
const DIAL = '#144#391#'
const OPERATOR = { operator: 'SNOM', protocol: 'orange-sonatel' } as const

type Call = {
  simulation: Simulation
  request: IncomingMessage
  response: ServerResponse
  account: ReturnType<typeof sonatelAccountOf>
  pin: RetailerPin
  codes: OneTimeCodes
}

/** The eWallet API of Orange in Senegal: payments with a code or by QR code, cash-ins, searches and the retailer's balance. */
export function createSonatelSimulator(secret: string): SimulatedProtocol {
  const account = sonatelAccountOf(secret)
  const pin = new RetailerPin(account.pin)
  const codes = new OneTimeCodes()
  // Lost with the process.
  const tokens = new Map<string, number>()
  return {
    name: OPERATOR.protocol,
    prefix: 'orange-sonatel',
    async answer(simulation, request, response, path) {
      const nowMs = simulation.now().getTime()
      if (path.startsWith('/qr/')) return answerQrPage(simulation, request, response, path.slice('/qr/'.length))
      if (/^\/oauth(\/v1)?\/token$/.test(path) && request.method === 'POST') {
        if (!isApplication(account, request, new URLSearchParams(await readBody(request))))
          return send(response, 401, { error: 'invalid_client', error_description: 'Invalid client credentials' })
        const token = randomBytes(24).toString('base64url')
        tokens.set(token, nowMs + TOKEN_SECONDS * 1_000)
        return send(response, 200, {
          access_token: token,
          expires_in: TOKEN_SECONDS,
          refresh_expires_in: 1_800,
          refresh_token: randomBytes(24).toString('base64url'),
          token_type: 'Bearer',
          scope: 'email',
        })
      }
      const bearer = (request.headers.authorization ?? '').replace(/^Bearer /, '')
      if ((tokens.get(bearer) ?? 0) <= nowMs) return void response.writeHead(401).end()
      // The gateway wants it with GET too.
      if (!request.headers['content-type']?.startsWith('application/json')) return void response.writeHead(415).end()
      return answerCall({ simulation, request, response, account, pin, codes }, path)
    },
    dial: (phoneNumber, dialled) => (dialled === DIAL && /^221\d{9}$/.test(phoneNumber) ? codes.make(phoneNumber.slice(3)) : undefined),
    isOver: isQrOver,
    callbackOf(simulation, entry, claim) {
      if (isUnusedQr(entry)) return undefined
      const body = JSON.stringify({ ...transactionOf(entry, account), ...(claim && { status: claim }) })
      const time = String(Math.floor(simulation.now().getTime() / 1_000))
      const signature = createHmac('sha256', account.signingSecret).update(`${time},${body}`).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-sonatel-signature': `t=${time},v1=${signature}` }
      return { method: 'POST', headers, body }
    },
  }
}

/** By HTTP Basic, or in the form. */
function isApplication({ clientId, clientSecret }: Call['account'], { headers }: IncomingMessage, form: URLSearchParams): boolean {
  if (form.get('grant_type') !== 'client_credentials') return false
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  if (headers.authorization !== undefined) return isSame(headers.authorization, basic)
  return isSame(form.get('client_id') ?? '', clientId) && isSame(form.get('client_secret') ?? '', clientSecret)
}

async function answerCall(call: Call, path: string): Promise<void> {
  const { simulation, request, response, account, pin, codes } = call
  const { searchParams } = new URL(request.url ?? '/', 'http://simulator')
  if (request.method === 'GET') {
    if (path === '/api/account/v1/publicKeys') {
      const { keyId, publicKey } = await pin.keys.publicKey()
      return send(response, 200, { keyId, keyType: 'RSA', keySize: 2_048, key: publicKey })
    }
    if (path === '/api/eWallet/v1/transactions') return search(call, searchParams)
    const [, transactionId] = /^\/api\/eWallet\/v1\/transactions\/([\w.]+)\/status$/.exec(path) ?? []
    if (transactionId !== undefined) return sendStatus(call, transactionId)
    return void response.writeHead(404).end()
  }
  const body = fieldsOf(await readJson(request))
  if (path === '/api/eWallet/v1/payments/onestep') return takePayment(call, body)
  if (path === '/api/eWallet/v1/cashins') return takeCashIn(call, body)
  if (path === '/api/eWallet/v4/qrcode') return takeQrCode(simulation, request, response, body, account.merchantCode)
  if (path === '/api/eWallet/v1/payments/otp') {
    const isSealed = typeof body['encryptedPinCode'] === 'string' && (await pin.keys.decrypt(body['encryptedPinCode'])) !== undefined
    return isSealed ? send(response, 200, { otp: codes.make(String(body['id'])) }) : refuse(response, PROBLEMS.keyRevoked)
  }
  if (path === '/api/eWallet/v1/account/retailer/balance') return sendBalance(call, body)
  return void response.writeHead(404).end()
}

async function takePayment(call: Call, body: Record<string, unknown>): Promise<void> {
  const { response, account, codes } = call
  const [customer, partner] = [fieldsOf(body['customer']), fieldsOf(body['partner'])]
  if (partner['idType'] !== 'CODE' || partner['id'] !== account.merchantCode) return refuse(response, PROBLEMS.partner)
  const order = readOrder(body, 'COLLECT')
  if (!order) return refuse(response, PROBLEMS.malformed)
  if (!codes.isFor(customer['otp'], order.phoneNumber)) return refuse(response, PROBLEMS.wrongOtp)
  return take(call, order, body, () => codes.spend(customer['otp']))
}

async function takeCashIn(call: Call, body: Record<string, unknown>): Promise<void> {
  const { response, account, pin } = call
  const partner = fieldsOf(body['partner'])
  const order = readOrder(body, 'DEPOSIT')
  if (!order) return refuse(response, PROBLEMS.malformed)
  if (partner['idType'] !== 'MSISDN' || partner['id'] !== account.channelMsisdn) return refuse(response, PROBLEMS.partner)
  const refusal = await pin.refusalOf(partner['encryptedPinCode'])
  if (refusal) return refuse(response, refusal)
  return take(call, order, body, () => undefined)
}

async function take(
  { simulation, response, account }: Call,
  order: NonNullable<ReturnType<typeof readOrder>>,
  body: Record<string, unknown>,
  spendCode: () => void,
): Promise<void> {
  const { result, turnedAway } = behaviourFor(order.phoneNumber)
  const isTurnedAway = simulation.books.timesTurnedAway(order.reference) < turnedAway.times
  const refusal = result.kind === 'failed' && !isTurnedAway ? refusalFor(result.message, order.direction) : undefined
  if (refusal) {
    spendCode()
    return refuse(response, refusal)
  }
  // The address is registered once, and each order says whether it is wanted.
  const callbackUrl =
    body['receiveNotification'] === true && simulation.webhookBaseUrl ? `${simulation.webhookBaseUrl}/operators/callback/SNOM` : undefined
  const isConfirmed = order.direction === 'COLLECT'
  // Nothing is recognised: the same reference again is another payment.
  const earlier = transactionsOf(simulation.books, order.reference).length
  const reference = laterReference(order.reference, earlier)
  const details = { ...order.details, reference: order.reference }
  const admission = await admitTransfer(simulation, { ...OPERATOR, order: { ...order, reference, details, callbackUrl }, isConfirmed })
  if (admission.kind === 'turned_away') return admission.how === 'silence' ? undefined : void response.writeHead(500).end()
  spendCode()
  if (admission.kind === 'accepted' && !admission.isAnswered) return
  const { entry } = admission
  const { transactionId, status } = transactionOf(entry, account)
  send(response, 200, {
    transactionId,
    status,
    description: 'Request taken',
    reference: order.reference,
    requestId: randomBytes(8).toString('hex'),
  })
}

/** By our reference or by Sonatel's own. Until it is paid, a code is not a transaction. */
function search({ simulation, response, account }: Call, searchParams: URLSearchParams): void {
  const reference = searchParams.get('reference')
  const byId = reference === null ? findById(simulation, searchParams.get('transactionId') ?? '') : undefined
  const found = byId ? [byId] : transactionsOf(simulation.books, reference ?? '')
  const shown = found.filter((entry) => entry.protocol === OPERATOR.protocol && !isUnusedQr(entry))
  send(
    response,
    200,
    shown.map((entry) => transactionOf(entry, account)),
  )
}

function sendStatus({ simulation, response }: Call, transactionId: string): void {
  const entry = findById(simulation, transactionId)
  if (!entry) return void response.writeHead(404).end()
  send(response, 200, { status: statusOf(entry), transactionId, reference: sentReferenceOf(entry) })
}

function findById(simulation: Simulation, transactionId: string) {
  return [...simulation.books.entries()].find((entry) => entry.protocol === OPERATOR.protocol && transactionIdOf(entry) === transactionId)
}

async function sendBalance({ simulation, response, account, pin }: Call, body: Record<string, unknown>): Promise<void> {
  if (body['idType'] !== 'MSISDN' || body['id'] !== account.channelMsisdn) return refuse(response, PROBLEMS.partner)
  const refusal = await pin.refusalOf(body['encryptedPinCode'])
  if (refusal) return refuse(response, refusal)
  send(response, 200, { unit: 'XOF', value: Number(formatMinor(simulation.books.accountsOf(OPERATOR.operator).depositMinor)) })
}

function refuse(response: ServerResponse, { status, code, detail }: Problem): void {
  const problem = { type: 'about:blank', title: 'Request refused', instance: '/api/eWallet', status, code, detail, violations: [] }
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
}
