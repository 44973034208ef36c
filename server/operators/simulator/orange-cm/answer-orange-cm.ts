import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { accountOf } from '../account-holders.ts'
import { answer, isSame, readBody } from '../http.ts'
import { admitTransfer, concludeNow, type SimulatedProtocol, type Simulation } from '../simulation.ts'
import {
  type OrangeResource,
  orangeCmAccountOf,
  PayTokens,
  paymentOf,
  readOrder,
  shortMessage,
  statusOf,
  unpaidOf,
} from './orange-cm-messages.ts'

const TOKEN_SECONDS = 3_600
const PATH = /^\/omcoreapis\/1\.0\.2\/(?:(mp|cashin)\/(init|pay|paymentstatus|push)(?:\/(\w+))?|infos\/subscriber\/customer\/(\d+))$/

type Call = {
  simulation: Simulation
  request: IncomingMessage
  response: ServerResponse
  payTokens: PayTokens
  account: ReturnType<typeof orangeCmAccountOf>
}

/** The core API of Orange Money in Cameroon: `init`, `pay` and `paymentstatus` for payments and for cash-ins. */
export function createOrangeCmSimulator(secret: string): SimulatedProtocol {
  const payTokens = new PayTokens()
  const account = orangeCmAccountOf(secret)
  // One for everybody until it ends; lost with the process.
  const session = { token: '', endsAtMs: 0 }
  return {
    name: 'orange-cm',
    prefix: 'orange-cm',
    async answer(simulation, request, response, path) {
      const call: Call = { simulation, request, response, payTokens, account }
      const nowMs = simulation.now().getTime()
      if (path === '/token' && request.method === 'POST') return sendToken(call, session, nowMs)
      const bearer = String(request.headers['wso2-authorization'] ?? request.headers.authorization ?? '')
      if (nowMs >= session.endsAtMs || !isSame(bearer, `Bearer ${session.token}`))
        return fault(
          response,
          401,
          '900901',
          'Invalid Credentials',
          'Invalid Credentials. Make sure you have given the correct access token',
        )
      if (!isSame(String(request.headers['x-auth-token']), base64(`${account.apiUser}:${account.apiPassword}`)))
        return answer(response, 401, { message: 'X-AUTH-TOKEN is invalid' })
      return answerCall(call, path)
    },
    callbackOf(_simulation, entry, claim) {
      const status = claim === 'SUCCESS' ? 'SUCCESSFULL' : statusOf(entry)
      const body = JSON.stringify({ payToken: entry.reference, status, message: 'Transaction completed' })
      return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    },
  }
}

async function sendToken({ request, response, account }: Call, session: { token: string; endsAtMs: number }, nowMs: number): Promise<void> {
  const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
  const grant = new URLSearchParams(await readBody(request)).get('grant_type')
  const isRight = isSame(request.headers.authorization ?? '', `Basic ${base64(`${account.consumerKey}:${account.consumerSecret}`)}`)
  if (!isForm || grant !== 'client_credentials' || !isRight)
    return answer(response, 401, { error: 'invalid_client', error_description: 'Client Authentication failed.' })
  if (nowMs >= session.endsAtMs) Object.assign(session, { token: randomUUID(), endsAtMs: nowMs + TOKEN_SECONDS * 1_000 })
  const expiresIn = Math.floor((session.endsAtMs - nowMs) / 1_000)
  return answer(response, 200, {
    access_token: session.token,
    scope: 'am_application_scope default',
    token_type: 'Bearer',
    expires_in: expiresIn,
  })
}

async function answerCall(call: Call, path: string): Promise<void> {
  const { request, response, simulation, payTokens } = call
  const [, resource, action, payToken, msisdn] = PATH.exec(path) ?? []
  const isPost = request.method === 'POST'
  if (msisdn !== undefined && isPost) return sendSubscriber(call, msisdn)
  if (resource !== 'mp' && resource !== 'cashin') return fault(response, 404, '900906', 'Not Found', 'No matching resource found')
  if (action === 'init' && isPost)
    return answer(response, 200, {
      message: 'Payment request successfully initiated',
      data: { payToken: payTokens.make(resource, simulation.now()) },
    })
  if (action === 'pay' && isPost) return pay(call, resource)
  // `push` sends the prompt to the customer again, who needs none here.
  if ((action === 'paymentstatus' || action === 'push') && payToken !== undefined) return sendStatus(call, resource, payToken)
  return fault(response, 405, '900905', 'Method Not Allowed', 'Method not allowed for given API resource')
}

async function pay(call: Call, resource: OrangeResource): Promise<void> {
  const { simulation, request, response, payTokens, account } = call
  const order = readOrder(parse(await readBody(request)), account, resource === 'mp' ? 'COLLECT' : 'DEPOSIT')
  if ('status' in order) return answer(response, order.status, { message: order.message })
  if (!simulation.books.find(order.reference) && payTokens.stateOf(resource, order.reference, simulation.now()) !== 'alive')
    return answer(response, 404, { message: 'PayToken not found or expired' })
  const { result } = behaviourFor(order.phoneNumber)
  if (result.kind === 'failed' && result.message === 'Num\u00e9ro invalide')
    return answer(response, 400, { message: 'subscriberMsisdn is not a valid subscriber number' })
  const admission = await admitTransfer(simulation, { operator: 'OMCM', protocol: 'orange-cm', order })
  if (admission.kind === 'turned_away')
    return admission.how === 'silence' ? undefined : fault(response, 500, '101503', 'Runtime Error', 'Error connecting to the back end')
  const { entry } = admission
  if (admission.kind === 'known') return answer(response, 417, { message: '60041 :: Le payToken est deja utilise (already used)' })
  // An amount that the balance does not cover is refused immediately.
  if (result.kind === 'failed' && result.message === 'Solde insuffisant') await concludeNow(simulation, entry)
  if (!admission.isAnswered) return
  const data = paymentOf(entry, account.channelMsisdn)
  if (data['inittxnstatus'] === '60019') return answer(response, 417, { message: shortMessage(), data })
  return answer(response, 200, { message: 'Payment request successfully initiated', data })
}

function sendStatus({ simulation, response, payTokens, account }: Call, resource: OrangeResource, payToken: string): void {
  const entry = simulation.books.find(payToken)
  if (entry) return answer(response, 200, { message: 'Transaction retrieved successfully', data: paymentOf(entry, account.channelMsisdn) })
  const state = payTokens.stateOf(resource, payToken, simulation.now())
  if (state === 'unknown') return answer(response, 404, { message: 'PayToken not found' })
  answer(response, 200, { message: 'Transaction retrieved successfully', data: unpaidOf(payToken, state === 'expired') })
}

async function sendSubscriber({ simulation, request, response, account }: Call, msisdn: string): Promise<void> {
  const body = parse(await readBody(request))
  if (body?.['pin'] !== account.pin || body['channelMsisdn'] !== account.channelMsisdn)
    return answer(response, 400, { message: 'The channel user or its pin is invalid' })
  const holder = accountOf(simulation.books, msisdn)
  if (holder.kind === 'not_registered') return answer(response, 200, { message: 'Not found', data: { firstName: null, lastName: null } })
  answer(response, 200, { message: 'Subscriber retrieved successfully', data: { firstName: holder.given, lastName: holder.family } })
}

/** An error of the gateway in front of the API. */
function fault(response: ServerResponse, status: number, code: string, message: string, description: string): void {
  answer(response, status, { fault: { code, message, description } })
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    // Not JSON: refused for what is missing.
    return undefined
  }
}
