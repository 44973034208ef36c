import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { answer as send } from '../http.ts'
import { actAsCustomer } from '../simulated-customer.ts'
import { admitTransfer, type Simulation } from '../simulation.ts'
import { fieldsOf, PROBLEMS, type Problem } from './sonatel-messages.ts'

const VALIDITY_S_MAX = 86_400
/** One white pixel: what Orange draws in its image is not known. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII='

/** Makes a QR code with its links. Orange learns no phone number before somebody pays: the table's row is read from the metadata. */
export async function takeQrCode(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  body: Record<string, unknown>,
  merchantCode: string,
): Promise<void> {
  const [amount, metadata] = [fieldsOf(body['amount']), fieldsOf(body['metadata'])]
  const { code, name, validity, reference } = body
  const urls = [body['callbackSuccessUrl'], body['callbackCancelUrl']]
  if (String(code) !== merchantCode) return refuse(response, PROBLEMS.partner)
  const isValid = typeof validity === 'number' && validity > 0 && validity <= VALIDITY_S_MAX
  const isOrder = typeof amount['value'] === 'number' && amount['value'] > 0 && amount['unit'] === 'XOF' && typeof name === 'string'
  if (!isValid || !isOrder || typeof reference !== 'string' || !urls.every((url) => typeof url === 'string' && URL.canParse(url)))
    return refuse(response, PROBLEMS.malformed)
  const callbackUrl = request.headers['x-callback-url']
  const isRegistered = callbackUrl === undefined || (typeof callbackUrl === 'string' && isHost(callbackUrl, simulation.callbackHost))
  if (!isRegistered) return refuse(response, PROBLEMS.malformed)
  const phoneNumber = typeof metadata['customer'] === 'string' ? metadata['customer'] : ''
  const behaviour = behaviourFor(phoneNumber)
  // A code that was never received cannot be paid: silence loses the first reply, regardless of the result in the row.
  if (behaviour.answer === 'silence' && simulation.books.timesTurnedAway(reference) === 0 && !simulation.books.find(reference))
    return simulation.books.turnAway(reference)
  const qrId = qrIdOf(reference)
  const known = simulation.books.find(reference)
  if (!known) {
    const order = {
      reference,
      direction: 'COLLECT' as const,
      amount: String(amount['value']),
      currency: 'XOF',
      phoneNumber,
      customerName: '',
      context: typeof metadata['transaction'] === 'string' ? metadata['transaction'] : reference,
      callbackUrl: typeof callbackUrl === 'string' ? callbackUrl : undefined,
      details: { qrId, metadata: JSON.stringify(metadata), returnUrl: String(body['callbackSuccessUrl']) },
    }
    const admission = await admitTransfer(simulation, { operator: 'SNOM', protocol: 'orange-sonatel', order })
    if (admission.kind === 'turned_away') return admission.how === 'silence' ? undefined : void response.writeHead(500).end()
  }
  const link = `http://${request.headers.host}/orange-sonatel/qr/${qrId}`
  const nowMs = simulation.now().getTime()
  send(response, 200, {
    qrCode: IMAGE,
    qrId,
    deepLinks: { MAXIT: `${link}?app=MAXIT`, OM: `${link}?app=OM` },
    validity,
    validFor: { startDateTime: new Date(nowMs).toISOString(), endDateTime: new Date(nowMs + validity * 1_000).toISOString() },
  })
}

/** Answers with the page that Orange's app shows. */
export function answerQrPage(simulation: Simulation, request: IncomingMessage, response: ServerResponse, qrId: string): void {
  const entry = [...simulation.books.entries()].find(({ details }) => details?.['qrId'] === qrId)
  actAsCustomer(simulation, request, response, entry, entry?.details?.['returnUrl'])
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
