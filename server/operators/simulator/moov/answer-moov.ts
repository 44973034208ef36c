import { createDecipheriv } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { elementAt, fieldsOf, readXmlTree } from '#server/operators/xml/xml-tree.ts'
import { accountOf } from '../account-holders.ts'
import { isSame, readBody } from '../http.ts'
import { admitTransfer, type SimulatedProtocol, type Simulation } from '../simulation.ts'
import {
  describe,
  envelopeOf,
  faultOf,
  MOOV_COUNTRIES,
  type MoovCountry,
  moovAccountOf,
  readOrder,
  statusOf,
  transferOf,
  wsdlOf,
} from './moov-messages.ts'

const OPERATIONS = {
  Push: 'return',
  PushWithPending: 'result',
  getTransactionStatus: 'response',
  transferFlooz: 'return',
  getBalance: 'return',
  getMobileAccountStatus: 'return',
} as const
type Operation = keyof typeof OPERATIONS

const LOOK_EVERY_MS = 20

/** Digits with the dial code; of Benin in both of its forms. */
const NUMBERS: Record<MoovCountry, RegExp> = { bj: /^229(01)?\d{8}$/, ml: /^223\d{8}$/ }

type Call = { simulation: Simulation; response: ServerResponse; country: MoovCountry; operation: Operation; given: Record<string, string> }

/** The merchant API of Moov in Benin and Mali: one address, SOAP, no callbacks. */
export const MOOV_SIMULATOR: SimulatedProtocol = { name: 'moov', prefix: 'moov', answer: answerMoov }

async function answerMoov(simulation: Simulation, request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const [, country, , service] = path.split('/')
  if (!isCountry(country) || service !== 'UssdPush') return void response.writeHead(404).end()
  if (request.method === 'GET' && /\?wsdl$/i.test(request.url ?? '')) return sendWsdl(request, response)
  if (request.method !== 'POST') return fault(response, 'soap:Client', 'Only POST')
  // Regardless of the content type and the declared encoding: clients differ, and the bytes are UTF-8.
  const body = elementAt(readXmlTree(await readBody(request)), 'Body')
  const called = body?.children[0]
  if (!called || !isOperation(called.name)) return fault(response, 'soap:Client', 'No such operation')
  const nested = elementAt(called, 'request')
  const { token = '', ...given } = { ...fieldsOf(called), ...(nested && fieldsOf(nested)) }
  const call: Call = { simulation, response, country, operation: called.name, given }
  const { username, password, key } = moovAccountOf(simulation.secret, country)
  if (!isSame(open(key, token) ?? '', `0:${username}:${password}`)) return say(call, { ...textOf('1', call.operation) })
  return answerCall(call)
}

async function answerCall(call: Call): Promise<void> {
  const { simulation, operation, given, country } = call
  if (operation === 'getBalance') {
    const { bothMinor: balanceMinor } = simulation.books.accountsOf(MOOV_COUNTRIES[country])
    const isOurs = given['msisdn'] === moovAccountOf(simulation.secret, country).accountMsisdn
    return say(call, isOurs ? { balance: formatMinor(balanceMinor), message: describe('0'), status: '0' } : textOf('1', operation))
  }
  if (operation === 'getMobileAccountStatus') {
    const msisdn = given['msisdn'] ?? ''
    const holder = accountOf(simulation.books, msisdn)
    if (holder.kind === 'active') return say(call, describeAccount(msisdn, holder))
    return say(call, textOf(holder.kind === 'barred' ? '7' : '555', operation))
  }
  if (operation === 'getTransactionStatus') {
    const entry = simulation.books.find(given['transid'] ?? '')
    const isKnown = entry?.protocol === 'moov' && entry.operator === MOOV_COUNTRIES[country]
    return say(call, isKnown ? statusOf(entry) : textOf('94', operation))
  }
  return take(call, operation)
}

async function take(call: Call, operation: 'Push' | 'PushWithPending' | 'transferFlooz'): Promise<void> {
  const { simulation, response, country, given } = call
  const operator = MOOV_COUNTRIES[country]
  const order = readOrder(operation, given, OPERATORS[operator].country.currency)
  if (!order) return say(call, textOf('94', operation))
  const { result } = behaviourFor(order.phoneNumber)
  const isRefused = result.kind === 'failed' && result.message === 'Num\u00e9ro invalide'
  if (isRefused || !NUMBERS[country].test(order.phoneNumber)) return say(call, textOf('3', operation))
  const admission = await admitTransfer(simulation, { operator, protocol: 'moov', order })
  // Moov's answer to a reference that it already has is not known, so nothing should rely on this one.
  if (admission.kind === 'known') return say(call, textOf('98', operation))
  if (admission.kind === 'turned_away') return admission.how === 'silence' ? undefined : fault(response, 'soap:Server', 'Internal error')
  if (!admission.isAnswered) return
  if (operation === 'transferFlooz') return say(call, transferOf(admission.entry, simulation.books.accountsOf(operator).bothMinor))
  if (operation === 'Push') await untilCustomerActs(simulation, admission.entry)
  say(call, statusOf(admission.entry))
}

/** `Push` is answered when the customer has confirmed or refused, or with 100 when the slowest customer would have. */
async function untilCustomerActs({ now, slowDelayMs }: Simulation, entry: BookEntry): Promise<void> {
  const endsAtMs = now().getTime() + slowDelayMs
  while (entry.status === 'PENDING' && now().getTime() < endsAtMs) await delay(LOOK_EVERY_MS, undefined, { ref: false })
}

/** An answer without a transfer. */
function textOf(status: string, operation: Operation): Record<string, string> {
  const isOfPush = operation === 'Push' || operation === 'PushWithPending' || operation === 'getTransactionStatus'
  return isOfPush ? { description: describe(status), referenceid: '', status, transid: '' } : { message: describe(status), status }
}

function describeAccount(msisdn: string, { given, family }: { given: string; family: string }): Record<string, string> {
  const person = {
    accounttype: 'CUSTOMER',
    allowedtransfer: 'true',
    city: '',
    dateofbirth: '',
    firstname: given,
    lastname: family,
  }
  return { ...person, message: describe('0'), msisdn, region: '', secondname: '', status: '0', street: '', subscriberstatus: 'ACTIVE' }
}

function say({ response, operation }: Call, fields: Record<string, string>): void {
  response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' }).end(envelopeOf(operation, OPERATIONS[operation], fields))
}

/** Sends the WSDL, which a SOAP library reads first. */
function sendWsdl({ headers, url = '' }: IncomingMessage, response: ServerResponse): void {
  const address = `http://${headers.host}${url.split('?')[0]}`
  response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' }).end(wsdlOf(address))
}

function fault(response: ServerResponse, code: string, text: string): void {
  response.writeHead(500, { 'content-type': 'text/xml;charset=UTF-8' }).end(faultOf(code, text))
}

/** The credentials in a token. */
function open(key: string, token: string): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, Buffer.alloc(16))
    return decipher.update(token, 'base64', 'utf8') + decipher.final('utf8')
  } catch {
    // Encrypted with another key: not authorised.
    return undefined
  }
}

function isCountry(text: string | undefined): text is MoovCountry {
  return text !== undefined && Object.hasOwn(MOOV_COUNTRIES, text)
}

function isOperation(name: string): name is Operation {
  return Object.hasOwn(OPERATIONS, name)
}
