import { createHash, randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { behaviourFor } from '../behaviour.ts'
import { laterReference, transactionsOf } from '../books.ts'
import { isSame, readBody, answer as send } from '../http.ts'
import type { SimulatedProtocol, Simulation } from '../simulation.ts'

const FIELDS =
  'TYPE customer_msisdn merchant_msisdn api_username api_password amount PROVIDER PROVIDER2 PAYID PAYID2 otp reference_number ext_txn_id'

/** The same in every request. */
const FIXED = { TYPE: 'OMPREQ', PROVIDER: '101', PROVIDER2: '101', PAYID: '12', PAYID2: '12' }

/** The first two are known. That of a low balance is Orange Cameroon's, and the last two are this simulator's own. */
const CODES: Readonly<Record<string, string>> = {
  'Num\u00e9ro invalide': '990422',
  'Compte non inscrit': '00066',
  'Solde insuffisant': '60019',
  'Transaction annul\u00e9e par le client': '990903',
  'Timeout op\u00e9rateur': '990904',
}
const NUMBER = /^226\d{8}$/
const DIAL = /^\*144\*4\*6\*(\d{1,12})#$/

type Otp = { msisdn: string; amount: string; isUsed: boolean }

/** Orange Money in Burkina Faso: XML with the customer's code, replies without a root, and no other call. */
export function createOrangeBfSimulator(secret: string): SimulatedProtocol {
  const account = orangeBfAccountOf(secret)
  // Lost with the process.
  const otps = new Map<string, Otp>()
  return {
    name: 'orange-bf',
    prefix: 'orange-bf',
    async answer(simulation, request, response, path) {
      const { searchParams } = new URL(request.url ?? '/', 'http://simulator')
      if (path === '/ussd')
        return send(response, 200, { otp: dial(otps, searchParams.get('msisdn') ?? '', searchParams.get('amount') ?? '') })
      if (path !== '/payment' || request.method !== 'POST') return void response.writeHead(404).end()
      const command = readCommand(await readBody(request))
      if (!command || Object.entries(FIXED).some(([name, value]) => command[name] !== value))
        return reply(response, '99', 'Malformed request')
      const { api_username = '', api_password = '', merchant_msisdn } = command
      if (!isSame(api_username, account.apiUsername) || !isSame(api_password, account.apiPassword))
        return reply(response, '401', 'Bad credentials')
      if (merchant_msisdn !== account.merchantMsisdn) return reply(response, '990422', 'Unknown merchant')
      return pay({ simulation, response, otps }, command)
    },
    slowCustomers: NUMBER,
    dial(phoneNumber, dialled) {
      const amount = DIAL.exec(dialled)?.[1]
      return amount !== undefined && NUMBER.test(phoneNumber) ? dial(otps, phoneNumber.slice(3), amount) : undefined
    },
  }
}

/** Returns the text shown to a customer who dials `*144*4*6*amount#`. */
function dial(otps: Map<string, Otp>, msisdn: string, amount: string): string {
  const otp = String(randomInt(100_000, 1_000_000))
  otps.set(otp, { msisdn, amount, isUsed: false })
  return otp
}

type Call = { simulation: Simulation; response: ServerResponse; otps: Map<string, Otp> }

/**
 * The reply is the result, and there is no status enquiry. So rows whose submission is not answered are answered late, and one that is
 * refused twice refuses the code twice.
 */
async function pay({ simulation, response, otps }: Call, command: Record<string, string>): Promise<void> {
  const { customer_msisdn: msisdn = '', amount = '', otp: entered = '', ext_txn_id: sent = '' } = command
  const { books } = simulation
  // Only the code is recognised: with another one, the same reference is another payment.
  const reference = laterReference(sent, transactionsOf(books, sent).length)
  const { result, turnedAway, answer, due } = behaviourFor(msisdn)
  const otp = otps.get(entered)
  if (otp?.msisdn !== msisdn) return reply(response, 'OTPINV', 'Invalid OTP')
  if (otp.amount !== amount) return reply(response, '08', 'The amount differs')
  if (otp.isUsed) return reply(response, '990418', 'The OTP was used')
  otp.isUsed = true
  if (turnedAway.how === 'http_500' && books.timesTurnedAway(reference) < turnedAway.times) {
    books.turnAway(reference)
    return reply(response, 'OTPINV', 'Invalid OTP')
  }
  const order = {
    reference,
    direction: 'COLLECT' as const,
    amount,
    currency: 'XOF',
    phoneNumber: `226${msisdn}`,
    customerName: '',
    context: sent,
  }
  books.accept({ operator: 'BFOM', protocol: 'orange-bf' }, order, null, simulation.now().getTime())
  // Open forever, without a reply.
  if (due === 'never') return
  if (result.kind === 'failed') books.fail(reference, result.message)
  else books.execute(reference, simulation.now().getTime())
  const isLate = answer === 'silence' || (turnedAway.how === 'silence' && turnedAway.times > 0)
  if (isLate) await delay(simulation.delayMs)
  if (result.kind === 'failed') return reply(response, CODES[result.message] ?? '990499', 'Refused')
  reply(response, '200', 'Votre paiement a ete effectue', transIdOf(reference))
}

/** Orange's own name of a payment. */
export function transIdOf(reference: string): string {
  return `OM${reference.slice(-12).toUpperCase()}`
}

/** The children of COMMAND, which must be there in their order. */
function readCommand(xml: string): Record<string, string> | undefined {
  const content = /<COMMAND>([\s\S]*)<\/COMMAND>\s*$/.exec(xml)?.[1] ?? ''
  const children = [...content.matchAll(/<(\w+)>([^<]*)<\/\1>/g)]
  if (children.map(([, name]) => name).join(' ') !== FIELDS) return undefined
  return Object.fromEntries(children.map(([, name = '', text = '']) => [name, text]))
}

/** Refusals have an empty `transID`. */
function reply(response: ServerResponse, status: string, message: string, transId = ''): void {
  const text = `<status>${status}</status><message>${message}</message><transID>${transId}</transID>`
  response.writeHead(200, { 'content-type': 'text/xml' }).end(text)
}

/** The merchant of Orange in Burkina Faso; derived from the simulator's secret. */
export function orangeBfAccountOf(secret: string): { merchantMsisdn: string; apiUsername: string; apiPassword: string } {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-bf ${name}`).digest('hex')
  return { merchantMsisdn: '76000001', apiUsername: `merchant_${hex('user').slice(0, 8)}`, apiPassword: hex('password').slice(0, 16) }
}
