import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { type BookEntry, laterReference, transactionsOf } from '#server/operators/simulator/books.ts'
import { answer as send } from '../http.ts'
import { actAsCustomer } from '../simulated-customer.ts'
import { acceptTransfer, admitTransfer, type Simulation } from '../simulation.ts'
import { fieldsOf, PROBLEMS, type Problem } from './sonatel-messages.ts'

const OPERATOR = { operator: 'SNOM', protocol: 'orange-sonatel' } as const
/** Why a code ends that nobody paid with. */
const UNUSED = 'Timeout op\u00e9rateur'
const VALIDITY_S_MAX = 86_400
/** One white pixel: what Orange draws in its image is not known. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII='

/** Makes a QR code with its links, another one for each request: nothing recognises a reference. */
export async function takeQrCode(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  body: Record<string, unknown>,
  merchantCode: string,
): Promise<void> {
  const callbackUrl = request.headers['x-callback-url']
  const isRegistered = callbackUrl === undefined || (typeof callbackUrl === 'string' && isHost(callbackUrl, simulation.callbackHost))
  if (String(body['code']) !== merchantCode) return refuse(response, PROBLEMS.partner)
  const qr = readQrOrder(body)
  if (!qr || !isRegistered) return refuse(response, PROBLEMS.malformed)
  const { reference, phoneNumber } = qr
  // A code that was never received cannot be paid: silence loses the first reply, regardless of the result in the row.
  const isFirst = simulation.books.timesTurnedAway(reference) === 0 && !simulation.books.find(reference)
  if (isFirst && behaviourFor(phoneNumber).answer === 'silence') return simulation.books.turnAway(reference)
  const earlier = transactionsOf(simulation.books, reference)
  const order = orderOf(simulation, qr, earlier.length, typeof callbackUrl === 'string' ? callbackUrl : undefined)
  const admission = await admitTransfer(simulation, { ...OPERATOR, order, sentAs: reference })
  if (admission.kind === 'turned_away') return admission.how === 'silence' ? undefined : void response.writeHead(500).end()
  // The customer has the link of the newest one.
  for (const { reference: unused, status } of earlier) if (status === 'PENDING') simulation.books.fail(unused, UNUSED)
  // One without a restriction is paid by everybody who has it: here by two.
  if (!qr.isSingleUse)
    acceptTransfer(simulation, { ...OPERATOR, order: { ...order, reference: laterReference(reference, earlier.length + 1) } })
  const { qrId, endsAtMs } = order.details
  const link = `http://${request.headers.host}/orange-sonatel/qr/${qrId}`
  send(response, 200, {
    qrCode: IMAGE,
    qrId,
    deepLinks: { MAXIT: `${link}?app=MAXIT`, OM: `${link}?app=OM` },
    validity: qr.validityS,
    validFor: { startDateTime: simulation.now().toISOString(), endDateTime: new Date(Number(endsAtMs)).toISOString() },
  })
}

type QrOrder = {
  reference: string
  amount: string
  name: string
  phoneNumber: string
  context: string
  metadata: string
  returnUrl: string
  validityS: number
  isSingleUse: boolean
}

/** Orange learns no phone number before somebody pays: the table's row is read from the metadata. Undefined if a field is malformed. */
function readQrOrder(body: Record<string, unknown>): QrOrder | undefined {
  const [{ value, unit }, metadata] = [fieldsOf(body['amount']), fieldsOf(body['metadata'])]
  const { name, validity, reference } = body
  const urls = [body['callbackSuccessUrl'], body['callbackCancelUrl']]
  if (typeof validity !== 'number' || !(validity > 0) || validity > VALIDITY_S_MAX) return undefined
  if (typeof value !== 'number' || !(value > 0) || unit !== 'XOF' || typeof name !== 'string') return undefined
  if (typeof reference !== 'string' || !urls.every((url) => typeof url === 'string' && URL.canParse(url))) return undefined
  return {
    reference,
    amount: String(value),
    name,
    phoneNumber: typeof metadata['customer'] === 'string' ? metadata['customer'] : '',
    context: typeof metadata['transaction'] === 'string' ? metadata['transaction'] : reference,
    metadata: JSON.stringify(metadata),
    returnUrl: String(body['callbackSuccessUrl']),
    validityS: validity,
    isSingleUse: fieldsOf(body['restrictions'])['isSingleUse'] === true,
  }
}

/** The code as the books have it, after so many earlier ones of its reference. */
function orderOf(simulation: Simulation, qr: QrOrder, earlier: number, callbackUrl: string | undefined) {
  const { amount, phoneNumber, context, name, metadata, returnUrl } = qr
  const reference = laterReference(qr.reference, earlier)
  const endsAtMs = String(simulation.now().getTime() + qr.validityS * 1_000)
  const details = { qrId: qrIdOf(reference), reference: qr.reference, name, metadata, returnUrl, endsAtMs }
  return { reference, direction: 'COLLECT' as const, amount, currency: 'XOF', phoneNumber, customerName: '', context, callbackUrl, details }
}

/** Answers with the page that Orange's app shows. */
export function answerQrPage(simulation: Simulation, request: IncomingMessage, response: ServerResponse, qrId: string): void {
  const entry = [...simulation.books.entries()].find(({ details }) => details?.['qrId'] === qrId)
  actAsCustomer(simulation, request, response, entry, entry?.details?.['returnUrl'])
}

/** Whether nobody paid with this code, so far or for good: until it is used, a code is no transaction. */
export function isUnusedQr({ details, status, message }: BookEntry): boolean {
  return details?.['qrId'] !== undefined && (status === 'PENDING' || message === UNUSED)
}

/** Whether the code's time has ended, after which the app takes no payment. */
export function isQrOver(simulation: Simulation, { details }: BookEntry): boolean {
  const endsAtMs = details?.['endsAtMs']
  return endsAtMs !== undefined && simulation.now().getTime() > Number(endsAtMs)
}

function qrIdOf(reference: string): string {
  return createHash('sha256').update(`qr ${reference}`).digest('hex').slice(0, 20)
}

function isHost(url: string, host: string | undefined): boolean {
  return URL.canParse(url) && (host === undefined || new URL(url).hostname === host)
}

function refuse(response: ServerResponse, { status, code, detail }: Problem): void {
  const problem = {
    type: 'about:blank',
    title: 'Request refused',
    instance: '/api/eWallet/v4/qrcode',
    status,
    code,
    detail,
    violations: [],
  }
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
}
