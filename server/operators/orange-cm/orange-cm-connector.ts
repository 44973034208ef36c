import { formatMinor } from '#lib/money/money.ts'
import { maskHolderName } from '#lib/operators/account-check.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { outcomeOfCode } from '../answer-table.ts'
import type {
  AccountOutcome,
  BalanceOutcome,
  CallbackOutcome,
  Connector,
  KeepIdentifiers,
  QueryOutcome,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
} from '../connector.ts'
import { type CallOutcome, exchangeOf, notSentOrUnknown, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import { nationalNumber, refuseDecimals, reportedNumber } from '../wire-formats.ts'
import {
  failedOutcome,
  initSchema,
  notificationAddressSchema,
  notificationSchema,
  ORANGE_CM_ANSWERS,
  type OrangePayment,
  orderIdOf,
  type ReadPayment,
  readPayment,
  saysWhy,
  subscriberSchema,
} from './messages.ts'
import { createOrangeCmClient, type OrangeCmClient, type OrangeCmSettings, orangeCmSettingsSchema } from './orange-cm-client.ts'

/** The resource of each direction. */
const RESOURCES = { COLLECT: 'mp', DEPOSIT: 'cashin' } as const
const CLAIMS: Readonly<Record<string, 'succeeded' | 'failed'>> = {
  SUCCESSFULL: 'succeeded',
  SUCCESS: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'failed',
  EXPIRED: 'failed',
}

/** Short: the result is there, only its reason is not, and a claim lasts 20 s. */
const REASON_LIMIT_MS = 3_000

type Orange = { context: ConnectorContext; settings: OrangeCmSettings; client: OrangeCmClient }

/** The Orange Money core API of Cameroon: a payToken first, then the payment with it. */
export function createOrangeCmConnector(context: ConnectorContext, settings: OrangeCmSettings): Connector {
  const client = createOrangeCmClient(context, settings)
  const orange: Orange = { context, settings, client }
  return {
    terms: context.terms,
    submit: (submission, keep) => submit(orange, submission, keep),
    query: (query) => queryStatus(orange, query),
    balance: () => checkCredentials(orange),
    checkAccount: (phoneNumber) =>
      checkAccount(orange, nationalNumber({ operator: context.operator, phoneNumber }), context.queryTimeoutMs),
    parseCallback: (_headers, body, search) => parseCallback(body, search ?? ''),
    close: () => client.close(),
  }
}

async function submit(orange: Orange, submission: Submission, keep: KeepIdentifiers): Promise<SubmitOutcome> {
  const refusal = refuseDecimals(submission, orange.settings.takesDecimals)
  if (refusal) return refusal
  const { operatorToken } = submission
  if (operatorToken !== undefined) return pay(orange, submission, operatorToken)
  const { context, client } = orange
  const path = `/${RESOURCES[submission.type]}/init`
  const outcome = await client.call({ method: 'POST', path, timeoutMs: context.queryTimeoutMs })
  const isAnswered = outcome.kind === 'answered' && outcome.httpStatus === 200
  const payToken = isAnswered ? readAnswer(outcome, initSchema)?.data.payToken : undefined
  // It moves no money, so a new one can be requested in any case.
  if (payToken === undefined) return notSent(`No payToken: ${unknownOutcome(outcome).detail}`, outcome)
  if (!(await keep({ operatorToken: payToken }))) return notSent('Another process has taken the submission over', outcome)
  return pay(orange, submission, payToken)
}

async function pay(orange: Orange, submission: Submission, payToken: string): Promise<SubmitOutcome> {
  const { context, settings, client } = orange
  const { reference, applicationId, type, amountMinor } = submission
  const outcome = await client.call({
    method: 'POST',
    path: `/${RESOURCES[type]}/pay`,
    body: {
      // Notifications repeat nothing of ours but the address.
      ...(context.callbackUrl && { notifUrl: `${context.callbackUrl}?transaction=${reference}&application=${applicationId}` }),
      channelUserMsisdn: settings.channelMsisdn,
      amount: formatMinor(amountMinor),
      subscriberMsisdn: nationalNumber(submission),
      pin: settings.pin,
      orderId: orderIdOf(reference),
      description: reference,
      payToken,
    },
    timeoutMs: context.submitTimeoutMs,
    writeBeforeMs: submission.writeBeforeMs,
  })
  const read = readPayment(outcome, payToken, orderIdOf(reference))
  const exchange = exchangeOf(outcome)
  if (read.kind === 'refused') return outcomeOfCode(ORANGE_CM_ANSWERS, read.code, outcome)
  if (read.kind === 'unreadable') return notSentOrUnknown(outcome)
  const final = await finalOutcomeOf(orange, read, outcome)
  if (final) return { ...final, operatorToken: payToken }
  return { kind: 'accepted', operatorToken: payToken, exchange }
}

async function queryStatus(orange: Orange, query: StatusEnquiry): Promise<QueryOutcome> {
  const { context, client } = orange
  const { operatorToken, reference, type } = query
  // It is committed before the call that moves money, so that call was never made.
  if (operatorToken === undefined)
    return { kind: 'not_found', exchange: { httpStatus: null, answer: 'No payment was started: there is no payToken' } }
  const path = `/${RESOURCES[type]}/paymentstatus/${encodeURIComponent(operatorToken)}`
  const outcome = await client.call({ method: 'GET', path, timeoutMs: context.queryTimeoutMs })
  const read = readPayment(outcome, operatorToken, orderIdOf(reference))
  const exchange = exchangeOf(outcome)
  if (read.kind === 'unreadable' || read.kind === 'refused') return unknownOutcome(outcome)
  // The payToken is there, the payment is not.
  if (read.kind === 'initiated') return { kind: 'not_found', exchange }
  return (await finalOutcomeOf(orange, read, outcome)) ?? { kind: 'pending', exchange }
}

/** The final outcome in an answer; undefined while there is none. */
async function finalOutcomeOf(orange: Orange, read: ReadPayment, outcome: CallOutcome) {
  const exchange = exchangeOf(outcome)
  if (read.kind === 'succeeded') {
    const { txnid, amount, subscriberMsisdn } = read.payment
    const reported = { amountMinor: amount, phoneNumber: reportedNumber(subscriberMsisdn ?? undefined) }
    return { kind: 'succeeded', operatorReference: txnid || undefined, reported, exchange } as const
  }
  if (read.kind !== 'failed') return undefined
  const isUnregistered = !saysWhy(read.code) && (await isWithoutAccount(orange, read.payment))
  return { ...failedOutcome(read.code, isUnregistered, exchange), operatorReference: read.payment?.txnid || undefined }
}

/** Orange's codes for it are not public. Only a clear answer counts: if two calls bring none, partners read the generic text. */
async function isWithoutAccount(orange: Orange, payment: OrangePayment | undefined): Promise<boolean> {
  const msisdn = payment?.subscriberMsisdn
  if (!msisdn) return false
  const timeoutMs = Math.min(orange.context.queryTimeoutMs, REASON_LIMIT_MS)
  const first = await checkAccount(orange, msisdn, timeoutMs)
  const account = first.kind === 'unknown' ? await checkAccount(orange, msisdn, timeoutMs) : first
  return account.kind === 'not_registered'
}

async function checkAccount({ settings, client }: Orange, msisdn: string, timeoutMs: number): Promise<AccountOutcome> {
  const outcome = await client.call({
    method: 'POST',
    path: `/infos/subscriber/customer/${encodeURIComponent(msisdn)}`,
    body: { pin: settings.pin, channelMsisdn: settings.channelMsisdn },
    timeoutMs,
  })
  const exchange = exchangeOf(outcome)
  const answer = outcome.kind === 'answered' && outcome.httpStatus < 500 ? readAnswer(outcome, subscriberSchema) : undefined
  if (/not found/i.test(answer?.message ?? '')) return { kind: 'not_registered', exchange }
  if (outcome.kind !== 'answered' || outcome.httpStatus !== 200 || !answer?.data) return unknownOutcome(outcome)
  const { firstName, lastName } = answer.data
  if (firstName || lastName) return { kind: 'active', holderName: maskHolderName(firstName, lastName), exchange }
  return firstName === null && lastName === null ? { kind: 'not_registered', exchange } : unknownOutcome(outcome)
}

/** There is no call for a balance. That of our own account shows that every credential is right. */
async function checkCredentials(orange: Orange): Promise<BalanceOutcome> {
  const { context, settings } = orange
  const account = await checkAccount(orange, settings.channelMsisdn, context.queryTimeoutMs)
  if (account.kind === 'unknown') return account
  const { currency } = OPERATORS[context.operator].country
  return { kind: 'balance', collectMinor: null, depositMinor: null, isOneAccount: false, currency, exchange: account.exchange }
}

/** Notifications are not signed, so they are hints. */
function parseCallback(body: Buffer, search: string): CallbackOutcome {
  const notification = readAnswer({ kind: 'answered', httpStatus: 200, body: body.toString('utf8') }, notificationSchema)
  const ids = notificationAddressSchema.safeParse(Object.fromEntries(new URLSearchParams(search))).data
  if (!notification || !ids) return { kind: 'malformed', detail: 'The address or the body names no transaction of ours' }
  const claim = CLAIMS[notification.status] ?? 'pending'
  return { kind: 'callback', applicationId: ids.application, reference: ids.transaction, claim, isVerified: false }
}

function notSent(detail: string, outcome: CallOutcome): SubmitOutcome {
  return { kind: 'not_sent', detail, exchange: exchangeOf(outcome) }
}

/** The Orange Money core API of Cameroon (README.md). */
export const ORANGE_CM_PROTOCOL = defineProtocol({
  name: 'orange-cm',
  operators: ['OMCM'],
  schema: orangeCmSettingsSchema,
  secretFields: ['consumerKey', 'consumerSecret', 'apiUser', 'apiPassword', 'pin'],
  directionsOf: ({ directions }) => directions ?? TRANSACTION_TYPES,
  environmentOf: ({ environment }) => environment,
  connect: createOrangeCmConnector,
})
