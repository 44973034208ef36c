import { OPERATORS } from '#lib/operators/operators.ts'
import { type AnswerTable, failureReason, refused, withAgreed } from '../answer-table.ts'
import type {
  BalanceOutcome,
  CallbackOutcome,
  Connector,
  Exchange,
  KeepIdentifiers,
  QueryOutcome,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
} from '../connector.ts'
import { exchangeOf, notSentOrUnknown, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import { jsonAmount, refuseDecimals } from '../wire-formats.ts'
import { idsIn, isOrderId, newOrderId, notificationSchema, pageSchema, shortIdsOf, statusSchema } from './messages.ts'
import { createOrangeWebClient, type OrangeWebClient, type OrangeWebSettings, orangeWebSettingsSchema } from './orange-web-client.ts'

/** The statuses that end a payment. As far as is published, Orange says no more than that. */
const ORANGE_WEB_ANSWERS: AnswerTable = { FAILED: refused('other'), EXPIRED: refused('operatorTimeout') }

type OrangeWeb = { context: ConnectorContext; settings: OrangeWebSettings; client: OrangeWebClient }

/** Orange Web Payment of one country: the customer pays on a page of Orange. */
export function createOrangeWebConnector(context: ConnectorContext, settings: OrangeWebSettings): Connector {
  const client = createOrangeWebClient(context, settings)
  const orange: OrangeWeb = { context, settings, client }
  return {
    terms: context.terms,
    customerStep: 'link',
    submit: (submission, keep) => openPage(orange, submission, keep),
    query: (query) => queryStatus(orange, query),
    balance: () => checkCredentials(orange),
    parseCallback: (_headers, body, search) => parseCallback(body, search ?? ''),
    close: () => client.close(),
  }
}

/**
 * Opens a page of Orange. It moves no money, and the customer does not get its link before the token that finds the payment is stored: the
 * page of a lost reply stays unknown, and the next submission opens another one.
 */
async function openPage({ context, settings, client }: OrangeWeb, submission: Submission, keep: KeepIdentifiers): Promise<SubmitOutcome> {
  const { publicUrl, callbackUrl, submitTimeoutMs } = context
  const refusal = refuseDecimals(submission, settings.takesDecimals)
  if (refusal) return refusal
  if (publicUrl === undefined || submission.payToken === undefined) return notSent('There is no page to return to')
  const orderId = newOrderId(submission.reference)
  const returnUrl = `${publicUrl}/pay/${submission.payToken}`
  const body = {
    merchant_key: settings.merchantKey,
    currency: settings.country === 'dev' ? 'OUV' : submission.currency,
    order_id: orderId,
    amount: jsonAmount(submission.amountMinor),
    return_url: returnUrl,
    cancel_url: returnUrl,
    // Orange repeats neither the order nor a reference of ours in a notification.
    notif_url: `${callbackUrl ?? returnUrl}?t=${shortIdsOf(submission)}`,
    lang: 'fr',
    reference: submission.phoneNumber,
  }
  const outcome = await client.post('webpayment', body, { timeoutMs: submitTimeoutMs, writeBeforeMs: submission.writeBeforeMs })
  const page = outcome.kind === 'answered' && outcome.httpStatus === 201 ? readAnswer(outcome, pageSchema) : undefined
  if (!page) return notSentOrUnknown(outcome)
  const kept = { operatorReference: orderId, operatorToken: page.pay_token, customerLink: page.payment_url }
  if (!(await keep(kept))) return notSent('Another process has taken the submission over')
  return { kind: 'accepted', ...kept, exchange: exchangeOf(outcome) }
}

async function queryStatus({ context, settings, client }: OrangeWeb, query: StatusEnquiry): Promise<QueryOutcome> {
  const { operatorReference: orderId, operatorToken: payToken, amountMinor } = query
  // No page was opened whose link anybody has, so nobody can have paid.
  if (payToken === undefined && orderId === undefined) return { kind: 'not_found', exchange: withoutCall('No page was opened') }
  if (payToken === undefined || orderId === undefined || !isOrderId(orderId))
    return { kind: 'unknown', detail: 'The order is no longer known', exchange: withoutCall('The order is no longer known') }
  const body = { order_id: orderId, amount: jsonAmount(amountMinor), pay_token: payToken }
  const outcome = await client.post('transactionstatus', body, { timeoutMs: context.queryTimeoutMs })
  const isOk = outcome.kind === 'answered' && (outcome.httpStatus === 200 || outcome.httpStatus === 201)
  const found = isOk ? readAnswer(outcome, statusSchema) : undefined
  if (found?.order_id !== orderId) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  switch (found.status) {
    case 'SUCCESS':
      return { kind: 'succeeded', operatorReference: found.txnid || orderId, exchange }
    case 'FAILED':
    case 'EXPIRED': {
      const code = found.status === 'FAILED' && found.code ? found.code : found.status
      const reason = failureReason(withAgreed(ORANGE_WEB_ANSWERS, settings.codeMeanings), code)
      return { kind: 'failed', reason, operatorCode: code, exchange }
    }
    default:
      return { kind: 'pending', exchange }
  }
}

/** There is no call for a balance. A token shows that the credentials are right. */
async function checkCredentials({ context, client }: OrangeWeb): Promise<BalanceOutcome> {
  const outcome = await client.signIn()
  if (outcome !== 'signed_in') return unknownOutcome(outcome)
  const { currency } = OPERATORS[context.operator].country
  return { kind: 'balance', collectMinor: null, depositMinor: null, isOneAccount: false, currency, exchange: withoutCall('Signed in') }
}

/** Not signed: a hint about the transaction that the address names. */
function parseCallback(body: Buffer, search: string): CallbackOutcome {
  const notification = readAnswer({ kind: 'answered', httpStatus: 200, body: body.toString('utf8') }, notificationSchema)
  const ids = idsIn(new URLSearchParams(search).get('t') ?? '')
  if (!notification || !ids) return { kind: 'malformed', detail: 'The address or the body names no transaction of ours' }
  const claim = notification.status === 'SUCCESS' ? 'succeeded' : notification.status === 'FAILED' ? 'failed' : 'pending'
  return { kind: 'callback', ...ids, claim, isVerified: false }
}

function withoutCall(answer: string): Exchange {
  return { httpStatus: null, answer }
}

function notSent(detail: string): SubmitOutcome {
  return { kind: 'not_sent', detail, exchange: withoutCall(detail) }
}

/** Orange Web Payment (README.md). Deposits need another protocol: Orange publishes none for this country. */
export const ORANGE_WEB_PROTOCOL = defineProtocol({
  name: 'orange-web',
  operators: ['CIOM'],
  schema: orangeWebSettingsSchema,
  secretFields: ['clientId', 'clientSecret', 'merchantKey'],
  directionsOf: () => ['COLLECT'],
  environmentOf: ({ country }) => country,
  connect: createOrangeWebConnector,
})
