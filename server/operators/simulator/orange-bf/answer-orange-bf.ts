import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { isSame } from '#server/operators/simulator/is-same.ts'
import { readBody, answer as send } from '#server/operators/simulator/respond.ts'
import type { SimulatedProtocol, Simulation } from '#server/operators/simulator/simulation.ts'
import { orangeBfAccountOf } from './credentials.ts'

const FIELDS =
  'TYPE customer_msisdn merchant_msisdn api_username api_password amount PROVIDER PROVIDER2 PAYID PAYID2 otp reference_number ext_txn_id'

/** Orange publishes these two; of a low balance and of every other refusal it publishes no code. */
const CODES: Readonly<Record<string, string>> = { 'Num\u00e9ro invalide': '990422', 'Compte non inscrit': '00066' }
const OTHER_CODE = '990499'

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
      if (!command) return reply(response, '99', 'Malformed request')
      const { api_username = '', api_password = '', merchant_msisdn } = command
      if (!isSame(api_username, account.apiUsername) || !isSame(api_password, account.apiPassword))
        return reply(response, '401', 'Bad credentials')
      if (merchant_msisdn !== account.merchantMsisdn) return reply(response, '990422', 'Unknown merchant')
      return pay(simulation, response, otps, command)
    },
    callbackOf: () => ({ method: 'POST', headers: {}, body: '' }),
  }
}

/** What a customer gets who dials `*144*4*6*amount#`. */
function dial(otps: Map<string, Otp>, msisdn: string, amount: string): string {
  const otp = String(randomInt(100_000, 1_000_000))
  otps.set(otp, { msisdn, amount, isUsed: false })
  return otp
}

function pay(simulation: Simulation, response: ServerResponse, otps: Map<string, Otp>, command: Record<string, string>): void {
  const { customer_msisdn: msisdn = '', amount = '', otp: entered = '', ext_txn_id: reference = '' } = command
  const { books } = simulation
  const behaviour = behaviourFor(msisdn)
  if (behaviour.result.kind === 'failed' && CODES[behaviour.result.message])
    return reply(response, CODES[behaviour.result.message] ?? '', 'Refused')
  const otp = otps.get(entered)
  if (otp?.msisdn !== msisdn) return reply(response, 'OTPINV', 'Invalid OTP')
  if (otp.amount !== amount) return reply(response, '08', 'The amount differs')
  if (otp.isUsed) return reply(response, '990418', 'The OTP was used')
  if (books.timesTurnedAway(reference) < behaviour.turnedAway.times) {
    books.turnAway(reference)
    if (behaviour.turnedAway.how === 'http_500') response.writeHead(500).end()
    return
  }
  otp.isUsed = true
  if (books.find(reference)) books.countDuplicate(reference)
  const order = {
    reference,
    direction: 'COLLECT' as const,
    amount,
    currency: 'XOF',
    phoneNumber: `226${msisdn}`,
    customerName: '',
    context: reference,
  }
  books.accept({ operator: 'BFOM', protocol: 'orange-bf' }, order, null, simulation.now().getTime())
  if (behaviour.result.kind === 'failed') {
    books.fail(reference, behaviour.result.message)
    return reply(response, OTHER_CODE, 'Refused')
  }
  books.execute(reference)
  if (behaviour.answer === 'at_once') reply(response, '200', 'Votre paiement a ete effectue', `OM${reference.slice(-12).toUpperCase()}`)
}

/** The children of COMMAND, which must be there in their order. */
function readCommand(xml: string): Record<string, string> | undefined {
  const content = /<COMMAND>([\s\S]*)<\/COMMAND>\s*$/.exec(xml)?.[1] ?? ''
  const children = [...content.matchAll(/<(\w+)>([^<]*)<\/\1>/g)]
  if (children.map(([, name]) => name).join(' ') !== FIELDS) return undefined
  return Object.fromEntries(children.map(([, name = '', text = '']) => [name, text]))
}

function reply(response: ServerResponse, status: string, message: string, transId?: string): void {
  const transaction = transId === undefined ? '' : `<transID>${transId}</transID>`
  response.writeHead(200, { 'content-type': 'text/xml' }).end(`<status>${status}</status><message>${message}</message>${transaction}`)
}
