import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatMinor } from '#lib/money/money.ts'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { SealingKeys } from '#server/operators/simulator/sealing-keys.ts'
import { accountOf } from '../account-holders.ts'
import { answer, isSame, readBody } from '../http.ts'
import { admitTransfer, type SimulatedProtocol, type Simulation } from '../simulation.ts'
import {
  type AirtelFamily,
  airtelAccountOf,
  callbackTransactionOf,
  moneyIdOf,
  PROBLEMS,
  readOrder,
  refundedOf,
  refusalOf,
  transferOf,
} from './airtel-messages.ts'

const TOKEN_SECONDS = 180
const CURRENCY = 'UGX'

type Call = { simulation: Simulation; request: IncomingMessage; response: ServerResponse; tokens: Map<string, number>; keys: SealingKeys }

/** The Airtel Africa Open API of Uganda: refusals with HTTP 200, an encrypted PIN and signed messages. */
export function createAirtelSimulator(secret: string): SimulatedProtocol {
  // Lost with the process, like the sessions of a gateway.
  const tokens = new Map<string, number>()
  const keys = new SealingKeys()
  return {
    name: 'airtel',
    prefix: 'airtel',
    answer: (simulation, request, response, path) => answerAirtel({ simulation, request, response, tokens, keys }, path),
    callbackOf(_simulation, entry, claim) {
      const transaction = callbackTransactionOf(entry, claim === 'SUCCESS' || entry.status === 'SUCCESS')
      const hash = createHmac('sha256', airtelAccountOf(secret).callbackKey).update(JSON.stringify(transaction)).digest('base64')
      return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ transaction, hash }) }
    },
  }
}

async function answerAirtel(call: Call, path: string): Promise<void> {
  const { request, response, tokens, simulation } = call
  if (request.method === 'POST' && request.headers['content-type'] !== 'application/json') return void response.writeHead(415).end()
  if (path === '/auth/oauth2/token' && request.method === 'POST') return issueToken(call)
  const endsAtMs = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''))
  if (endsAtMs === undefined || endsAtMs <= simulation.now().getTime())
    return answer(response, 401, { error: 'invalid_token', error_description: 'The access token is invalid or has expired' })
  if (!request.headers['x-country']) return answer(response, 400, { status_message: 'Partner not found', status_code: 'ROUTER110' })
  if (request.headers['x-country'] !== 'UG' || request.headers['x-currency'] !== CURRENCY)
    return answer(response, 200, refusalOf(PROBLEMS.fields))
  return answerCall(call, path)
}

async function answerCall(call: Call, path: string): Promise<void> {
  const { request, response } = call
  const isPost = request.method === 'POST'
  if (path === '/v1/rsa/encryption-keys') return sendKey(call)
  if (isPost && /^\/merchant\/v[12]\/payments\/$/.test(path)) return takeTransfer(call, 'collection', path.includes('/v2/'))
  if (isPost && /^\/standard\/v[123]\/disbursements\/$/.test(path)) return takeTransfer(call, 'disbursement', path.includes('/v3/'))
  if (isPost && path === '/standard/v1/payments/refund') return refund(call)
  const [, payments, disbursements, msisdn] =
    /^\/standard\/(?:v1\/payments\/([\w-]+)|v[12]\/disbursements\/([\w-]+)|v1\/users\/(\d+))$/.exec(path) ?? []
  if (!isPost && (payments ?? disbursements)) return sendTransfer(call, payments ?? disbursements ?? '', payments ? 'COLLECT' : 'DEPOSIT')
  if (/^\/standard\/v[12]\/users\/balance$/.test(path)) return sendBalance(call)
  if (msisdn) return sendUser(call, msisdn)
  return answer(response, 404, { status_message: 'No route', status_code: 'ROUTER005' })
}

async function issueToken({ simulation, request, response, tokens }: Call): Promise<void> {
  const { clientId, clientSecret } = airtelAccountOf(simulation.secret)
  const body = parse(await readBody(request))
  const isRight = isSame(String(body?.['client_id']), clientId) && isSame(String(body?.['client_secret']), clientSecret)
  if (!isRight || body?.['grant_type'] !== 'client_credentials')
    return answer(response, 401, { error: 'invalid_client', error_description: 'Client authentication failed' })
  const token = randomBytes(24).toString('base64url')
  tokens.set(token, simulation.now().getTime() + TOKEN_SECONDS * 1_000)
  // Text, as in the documentation.
  return answer(response, 200, { token_type: 'bearer', access_token: token, expires_in: String(TOKEN_SECONDS) })
}

async function sendKey({ response, keys }: Call): Promise<void> {
  const { keyId, publicKey } = await keys.publicKey()
  const data = { key_id: keyId, key: publicKey, valid_upto: '2099-12-31T00:00:00' }
  answer(response, 200, { data, status: { response_code: 'DP02010001001', code: '200', success: true, message: 'Success' } })
}

async function takeTransfer(call: Call, family: AirtelFamily, isSigned: boolean): Promise<void> {
  const { simulation, request, response, keys } = call
  const refuse = (problem: Parameters<typeof refusalOf>[0]) => answer(response, 200, refusalOf(problem))
  const text = await readBody(request)
  if (isSigned && !(await keys.isSigned(text, request.headers['x-signature'], request.headers['x-key'])))
    return refuse({
      result: 'ESB000008',
      response: family === 'collection' ? 'DP00800001026' : 'DP00900001016',
      message: 'Invalid signature',
    })
  const read = readOrder(parse(text), family, CURRENCY)
  if ('message' in read) return refuse(read)
  if (family === 'disbursement') {
    if (typeof read.pin !== 'string') return refuse(PROBLEMS.fields)
    const pin = await keys.decrypt(read.pin)
    // One that was sealed with a key of before, and one that is wrong.
    if (pin === undefined || !isSame(pin, airtelAccountOf(simulation.secret).pin)) return refuse(PROBLEMS.pin)
  }
  const { result } = behaviourFor(read.order.phoneNumber)
  if (result.kind === 'failed' && result.message === 'Num\u00e9ro invalide') return refuse(PROBLEMS.number)
  const callbackUrl = simulation.webhookBaseUrl && `${simulation.webhookBaseUrl}/operators/callback/UGAIRTEL`
  const admission = await admitTransfer(simulation, { operator: 'UGAIRTEL', protocol: 'airtel', order: { ...read.order, callbackUrl } })
  if (admission.kind === 'known') return refuse(family === 'collection' ? PROBLEMS.paymentExists : PROBLEMS.payoutExists)
  if (admission.kind === 'turned_away')
    return admission.how === 'silence'
      ? undefined
      : answer(response, 500, { status_message: 'Request timed out', status_code: 'ROUTER117' })
  if (admission.isAnswered) answer(response, 200, transferOf(admission.entry))
}

/** Pays a whole payment back, once. It is named by the id that Airtel gave it. */
async function refund({ simulation, request, response }: Call): Promise<void> {
  const { transaction } = parse(await readBody(request)) ?? {}
  const moneyId = typeof transaction === 'object' && transaction !== null && 'airtel_money_id' in transaction && transaction.airtel_money_id
  for (const entry of simulation.books.entries()) {
    if (entry.protocol !== 'airtel' || entry.direction !== 'COLLECT' || moneyIdOf(entry) !== moneyId) continue
    const isDone = simulation.books.refund(entry.reference, 'collect', {
      id: `${entry.reference}-refund`,
      amount: entry.amount,
      atMs: simulation.now().getTime(),
    })
    return answer(response, 200, isDone ? refundedOf(entry) : refusalOf({ result: 'ESB000011', message: 'Failed' }))
  }
  return answer(response, 200, refusalOf(PROBLEMS.notFound))
}

function sendTransfer({ simulation, response }: Call, id: string, direction: 'COLLECT' | 'DEPOSIT'): void {
  const entry = simulation.books.find(id)
  if (entry?.protocol === 'airtel' && entry.direction === direction) return answer(response, 200, transferOf(entry))
  const code = direction === 'COLLECT' ? 'DP00800001025' : 'DP00900001015'
  answer(response, 200, refusalOf({ ...PROBLEMS.notFound, response: code }))
}

/** Version 1 has one account, version 2 one for each direction. */
function sendBalance({ simulation, request, response }: Call): void {
  const { collectMinor, depositMinor, bothMinor } = simulation.books.accountsOf('UGAIRTEL')
  const type = new URL(request.url ?? '/', 'http://simulator').searchParams.get('type')
  const balanceMinor = type === 'COLL' ? collectMinor : type === 'DISB' ? depositMinor : bothMinor
  const [whole = '', fraction = ''] = formatMinor(balanceMinor).split('.')
  const balance = `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
  const data = { balance, currency: CURRENCY, account_status: 'Active' }
  answer(response, 200, { data, status: { response_code: 'DP02100000001', code: '200', success: true, message: 'Success' } })
}

function sendUser({ simulation, response }: Call, msisdn: string): void {
  const holder = accountOf(simulation.books, msisdn)
  if (holder.kind === 'not_registered')
    return answer(response, 200, refusalOf({ result: 'ESB000008', response: 'DP02200000002', message: 'User not found' }))
  const names = { first_name: holder.given, last_name: holder.family }
  const data = { ...names, msisdn, is_barred: holder.kind === 'barred', registration: { status: 'SUBS' } }
  answer(response, 200, { data, status: { response_code: 'DP02200000001', code: '200', success: true, message: 'Success' } })
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    // Not JSON: refused for its fields.
    return undefined
  }
}
