import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatMinor } from '#lib/money/money.ts'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { accountOf } from '../account-holders.ts'
import { readBody } from '../http.ts'
import { admitTransfer, type SimulatedProtocol, type Simulation } from '../simulation.ts'
import {
  ENVIRONMENTS,
  isUuid4,
  type MtnSimulatorProduct,
  readOrder,
  readRefund,
  reasonObjectOf,
  reasonOf,
  transferOf,
} from './mtn-messages.ts'
import { MtnRefunds, MtnUsers } from './users.ts'

/** The calls that move money, by product. */
const RESOURCES: Record<MtnSimulatorProduct, readonly string[]> = {
  collection: ['v1_0/requesttopay'],
  // Of a transfer there is no second version.
  disbursement: ['v1_0/transfer', 'v1_0/deposit', 'v2_0/deposit'],
}
const REFUNDS = ['v1_0/refund', 'v2_0/refund']

type Call = { simulation: Simulation; request: IncomingMessage; response: ServerResponse }

/** The MTN MoMo Open API: both error shapes, empty bodies and all. */
export function createMtnSimulator(secret: string): SimulatedProtocol {
  const users = new MtnUsers(secret)
  const refunds = new MtnRefunds()
  return {
    name: 'mtn-momo',
    prefix: 'mtn',
    answer: (simulation, request, response, path) => answerMtn(users, refunds, { simulation, request, response }, path),
    callbackOf(_simulation, entry, claim) {
      const told = claim
        ? { status: 'SUCCESSFUL', reason: undefined }
        : entry.status === 'FAILED' && { reason: reasonObjectOf(reasonOf(entry)) }
      const body = JSON.stringify({ ...transferOf(entry), ...told })
      // MTN sends either; a receiver must take both.
      const method = Number.parseInt(entry.reference.slice(-1), 16) % 2 === 0 ? 'PUT' : 'POST'
      return { method, headers: { 'content-type': 'application/json' }, body }
    },
  }
}

async function answerMtn(users: MtnUsers, refunds: MtnRefunds, call: Call, path: string): Promise<void> {
  const { request, response, simulation } = call
  const product = users.productOf(request)
  if (!product)
    return gatewayError(
      response,
      401,
      'Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription.',
    )
  if (path.startsWith('/v1_0/apiuser')) return provision(users, call, product, path)
  const [, named, version, resource, ...rest] = path.split('/')
  if (named !== product) return gatewayError(response, 401, 'Access denied due to invalid subscription key.')
  if (version === 'token' && request.method === 'POST') return issueToken(users, call, product)
  const user = users.userOf(request.headers.authorization ?? '', product, simulation.now().getTime())
  if (!user) return gatewayError(response, 401, 'Access denied. Invalid or expired token.')
  const environment = ENVIRONMENTS[String(request.headers['x-target-environment'])]
  if (!environment) return coreError(response, 500, 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'Access to target environment is forbidden.')
  const versioned = `${version}/${resource}`
  if (product === 'disbursement' && REFUNDS.includes(versioned)) return answerRefund(call, refunds, environment, rest[0] ?? '')
  if (RESOURCES[product].includes(versioned)) {
    if (request.method === 'GET') return sendTransfer(call, rest[0] ?? '')
    return takeTransfer(call, environment, product, user.callbackHost ?? simulation.callbackHost)
  }
  if (version !== 'v1_0') return gatewayError(response, 404, 'Resource not found')
  if (resource === 'account' && rest[0] === 'balance') return sendBalance(call, environment, product)
  if (resource === 'accountholder') return sendHolder(call, rest[1] ?? '', rest[2] ?? '')
  return gatewayError(response, 404, 'Resource not found')
}

/** A refund is queued like a transfer: what becomes of it shows a query. */
async function answerRefund(
  { simulation, request, response }: Call,
  refunds: MtnRefunds,
  { currency, operator }: { operator: string; currency: string },
  asked: string,
): Promise<void> {
  if (request.method === 'GET') {
    const found = refunds.find(asked.toLowerCase())
    return found ? send(response, 200, found) : coreError(response, 404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found.')
  }
  const reference = String(request.headers['x-reference-id']).toLowerCase()
  if (!isUuid4(reference)) return coreError(response, 400, 'BAD_REQUEST', 'X-Reference-Id must be a UUID version 4')
  const order = readRefund(parse(await readBody(request)))
  if (order === 'malformed') return void response.writeHead(400).end()
  if (order.currency !== currency) return coreError(response, 500, 'INVALID_CURRENCY', 'Currency not supported.')
  if (refunds.take(simulation, operator, reference, order) === 'known')
    return coreError(response, 409, 'RESOURCE_ALREADY_EXIST', 'Duplicated reference id. Creation of resource failed.')
  return void response.writeHead(202).end()
}

/** Each product has an account of its own. */
function sendBalance(
  { simulation, response }: Call,
  { operator, currency }: { operator: string; currency: string },
  product: MtnSimulatorProduct,
): void {
  const { collectMinor, depositMinor } = simulation.books.accountsOf(operator)
  send(response, 200, { availableBalance: formatMinor(product === 'collection' ? collectMinor : depositMinor), currency })
}

async function provision(users: MtnUsers, { request, response }: Call, product: MtnSimulatorProduct, path: string): Promise<void> {
  const [, , , apiUser, part] = path.split('/')
  if (request.method === 'POST' && !apiUser) {
    const id = String(request.headers['x-reference-id'])
    const body = parse(await readBody(request))
    if (!isUuid4(id)) return coreError(response, 400, 'BAD_REQUEST', 'X-Reference-Id must be a UUID version 4')
    if (!users.createUser(id, product, typeof body?.['providerCallbackHost'] === 'string' ? body['providerCallbackHost'] : undefined))
      return coreError(response, 409, 'RESOURCE_ALREADY_EXIST', 'Duplicated reference id. Creation of resource failed.')
    return void response.writeHead(201).end()
  }
  const user = apiUser ? users.find(apiUser) : undefined
  if (!apiUser || !user) return coreError(response, 404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found.')
  if (request.method === 'POST' && part === 'apikey') return send(response, 201, { apiKey: users.createKey(apiUser) })
  return send(response, 200, { providerCallbackHost: user.callbackHost, targetEnvironment: 'sandbox' })
}

async function issueToken(users: MtnUsers, { simulation, request, response }: Call, product: MtnSimulatorProduct): Promise<void> {
  if ((await readBody(request)) !== '') return coreError(response, 400, 'BAD_REQUEST', 'The token API takes no body')
  const issued = users.issueToken(request.headers.authorization ?? '', product, simulation.now().getTime())
  if (!issued) return send(response, 401, { error: 'login_failed' })
  return send(response, 200, { access_token: issued.token, token_type: 'access_token', expires_in: issued.expiresInSeconds })
}

async function takeTransfer(
  { simulation, request, response }: Call,
  environment: { operator: string; currency: string },
  product: MtnSimulatorProduct,
  callbackHost: string | undefined,
): Promise<void> {
  const reference = String(request.headers['x-reference-id']).toLowerCase()
  if (!isUuid4(reference)) return coreError(response, 400, 'BAD_REQUEST', 'X-Reference-Id must be a UUID version 4')
  const callbackUrl = request.headers['x-callback-url']
  if (typeof callbackUrl === 'string' && !isAllowedCallback(callbackUrl, callbackHost))
    return coreError(response, 500, 'INVALID_CALLBACK_URL_HOST', 'The callback host does not match the registered one.')
  const order = readOrder(parse(await readBody(request)), product)
  if (order === 'malformed') return void response.writeHead(400).end()
  if (order.currency !== environment.currency) return coreError(response, 500, 'INVALID_CURRENCY', 'Currency not supported.')
  if (isRefusedNumber(order.phoneNumber)) return coreError(response, 400, 'BAD_REQUEST', 'partyId is not a valid MSISDN')
  const admission = await admitTransfer(simulation, {
    operator: environment.operator,
    protocol: 'mtn-momo',
    order: { ...order, reference, ...(typeof callbackUrl === 'string' && { callbackUrl }) },
  })
  if (admission.kind === 'known')
    return coreError(response, 409, 'RESOURCE_ALREADY_EXIST', 'Duplicated reference id. Creation of resource failed.')
  if (admission.kind === 'turned_away')
    return admission.how === 'silence' ? undefined : coreError(response, 500, 'INTERNAL_PROCESSING_ERROR', 'An internal error occurred.')
  if (admission.isAnswered) response.writeHead(202).end()
}

function sendTransfer({ simulation, response }: Call, reference: string): void {
  const entry = simulation.books.find(reference.toLowerCase())
  if (!entry) return coreError(response, 404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found.')
  return send(response, 200, transferOf(entry))
}

/** The row of the table for a number that does not exist at the operator: refused before anything is created. */
function isRefusedNumber(phoneNumber: string): boolean {
  const { result } = behaviourFor(phoneNumber)
  return result.kind === 'failed' && result.message === 'Num\u00e9ro invalide'
}

function sendHolder({ simulation, response }: Call, phoneNumber: string, asked: string): void {
  const holder = accountOf(simulation.books, phoneNumber)
  if (asked === 'active') return send(response, 200, { result: holder.kind === 'active' })
  if (asked !== 'basicuserinfo') return gatewayError(response, 404, 'Resource not found')
  if (holder.kind === 'not_registered') return coreError(response, 404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found.')
  const { given: given_name, family: family_name } = holder
  send(response, 200, { given_name, family_name, birthdate: '1990-01-01', locale: 'fr', gender: '', status: 'ACTIVE' })
}

function isAllowedCallback(url: string, host: string | undefined): boolean {
  if (!URL.canParse(url)) return false
  return host === undefined || new URL(url).hostname === host
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    // Not JSON: refused as malformed.
    return undefined
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** An error of the MoMo core. */
function coreError(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, status, { message, code })
}

/** An error of the gateway in front of it, which has another shape. */
function gatewayError(response: ServerResponse, statusCode: number, message: string): void {
  send(response, statusCode, { statusCode, message })
}
