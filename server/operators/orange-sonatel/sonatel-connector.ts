import { OPERATORS } from '#lib/operators/operators.ts'
import type {
  BalanceOutcome,
  CallbackOutcome,
  CodeRefusal,
  Connector,
  Exchange,
  KeepIdentifiers,
  QueryOutcome,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
} from '../connector.ts'
import { isSigned } from '../handle-callback.ts'
import { exchangeOf, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import { balanceMinorOf, jsonAmount, nationalNumber, refuseBelow, refuseDecimals } from '../wire-formats.ts'
import { balanceSchema, callbackSchema, judge, submitOutcomeOf, transactionsIn } from './messages.ts'
import { makeQrCode, QR_EXPIRED, qrStateOf } from './qr-codes.ts'
import { createSonatelClient, type SonatelClient, type SonatelSettings, sonatelSettingsSchema } from './sonatel-client.ts'

/** 10 XOF: Sonatel takes no less. */
const AMOUNT_MINOR_MIN = 1_000n

type Sonatel = { context: ConnectorContext; settings: SonatelSettings; client: SonatelClient }

/** The eWallet API of Orange in Senegal. */
export function createSonatelConnector(context: ConnectorContext, settings: SonatelSettings): Connector {
  const client = createSonatelClient(context, settings)
  const sonatel: Sonatel = { context, settings, client }
  return {
    terms: context.terms,
    customerStep: settings.collectBy === 'qr' ? 'link' : { dial: () => settings.dial, codeLength: settings.codeLength },
    submit: (submission, keep) => submit(sonatel, submission, keep),
    query: (query) => queryStatus(sonatel, query),
    balance: () => readBalance(sonatel),
    parseCallback: (headers, body) => parseCallback(sonatel, headers, body),
    close: () => client.close(),
  }
}

/**
 * Sonatel has no key against a second payment. A payment that an earlier submission may have started is searched for first, and nothing is
 * sent unless Sonatel says that it knows nothing.
 */
async function submit(sonatel: Sonatel, submission: Submission, keep: KeepIdentifiers): Promise<SubmitOutcome | CodeRefusal> {
  const { settings } = sonatel
  const refusal = refuseDecimals(submission, settings.takesDecimals) ?? refuseBelow(submission, AMOUNT_MINOR_MIN)
  if (refusal) return refusal
  const isWithCode = submission.type === 'COLLECT' && settings.collectBy === 'code'
  if (isWithCode && submission.customerCode === undefined) return notSent('The customer has entered no code')
  if (submission.isRepeated) {
    const found = await lookUp(sonatel, submission)
    if (found.kind === 'pending') return { ...found, kind: 'accepted' }
    if (found.kind === 'unknown') return { ...found, kind: 'not_sent' }
    if (found.kind !== 'not_found') return found
  }
  if (submission.type === 'DEPOSIT') return payOut(sonatel, submission)
  return settings.collectBy === 'qr' ? makeQrCode(sonatel, submission, keep) : payWithCode(sonatel, submission)
}

async function payWithCode({ context, settings, client }: Sonatel, submission: Submission): Promise<SubmitOutcome | CodeRefusal> {
  const { customerCode = '', reference, writeBeforeMs } = submission
  const body = {
    customer: { idType: 'MSISDN', id: nationalNumber(submission), otp: customerCode },
    partner: { idType: 'CODE', id: settings.merchantCode },
    ...commonFields(context, submission),
  }
  const outcome = await client.post('/api/eWallet/v1/payments/onestep', body, { writeBeforeMs })
  const result = submitOutcomeOf(outcome, reference, settings.wrongCodes)
  const { httpStatus, answer } = result.exchange
  // Answers are stored; a code that one repeats is not.
  return { ...result, exchange: { httpStatus, answer: answer.replaceAll(customerCode, '*'.repeat(customerCode.length)) } }
}

async function payOut({ context, settings, client }: Sonatel, submission: Submission): Promise<SubmitOutcome | CodeRefusal> {
  const bodyOf = (encryptedPinCode: string) => ({
    partner: { idType: 'MSISDN', id: settings.channelMsisdn, encryptedPinCode },
    customer: { idType: 'MSISDN', id: nationalNumber(submission) },
    ...commonFields(context, submission),
  })
  const { writeBeforeMs } = submission
  const outcome = await client.postWithPin('/api/eWallet/v1/cashins', bodyOf, { writeBeforeMs })
  return submitOutcomeOf(outcome, submission.reference, [])
}

function commonFields({ callbackUrl }: ConnectorContext, { reference, applicationId, amountMinor, currency }: Submission): object {
  return {
    amount: { value: jsonAmount(amountMinor), unit: currency },
    reference,
    receiveNotification: callbackUrl !== undefined,
    // A notification repeats it, so that it names the whole key of its row.
    metadata: { transaction: reference, application: applicationId },
  }
}

/** An empty search counts as a denial if that was agreed, and where nothing can be paid twice: nobody has the QR code of a lost reply. */
async function queryStatus(sonatel: Sonatel, query: StatusEnquiry): Promise<QueryOutcome> {
  const { believesEmptySearches, collectBy } = sonatel.settings
  const outcome = await lookUp(sonatel, query)
  if (outcome.kind !== 'not_found' || believesEmptySearches || (query.type === 'COLLECT' && collectBy === 'qr')) return outcome
  return { kind: 'unknown', detail: 'Sonatel does not know the reference, which may still arrive there', exchange: outcome.exchange }
}

/** By our own reference, which each answer repeats. */
async function lookUp({ context, settings, client }: Sonatel, query: StatusEnquiry): Promise<QueryOutcome> {
  const outcome = await client.get(`/api/eWallet/v1/transactions?reference=${encodeURIComponent(query.reference)}`)
  const found = transactionsIn(outcome, query)
  if (!found) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  // Refusals of a wrong code ended nothing: the customer was asked for another one.
  const transactions = found.filter(({ code }) => !settings.wrongCodes.includes(code ?? ''))
  const qr = qrStateOf(query, context.clock.now())
  const judged = transactions.length > 0 ? judge(transactions, exchange, { isNumberBound: !qr }) : undefined
  if (!qr) return judged ?? { kind: 'not_found', exchange }
  // A customer whose payment failed may try again while the code is valid.
  if (!judged || judged.kind === 'failed') {
    if (qr.isOpen) return { kind: 'pending', exchange }
    // The mark of the code stays with the failed payment: by it, a later query knows that anybody may have paid.
    const failed = judged ?? { kind: 'failed', ...QR_EXPIRED, exchange }
    return { ...failed, operatorReference: query.operatorReference, operatorReferenceOther: judged?.operatorReference }
  }
  // The id of a payment in progress does not replace what is kept of its code.
  return judged.kind === 'pending' ? { kind: 'pending', exchange } : judged
}

/** Of the account that pays deposits; Sonatel reports no other one. Without its PIN, a token shows that the credentials are right. */
async function readBalance({ context, settings, client }: Sonatel): Promise<BalanceOutcome> {
  const { currency } = OPERATORS[context.operator].country
  const balance = { kind: 'balance' as const, collectMinor: null, isOneAccount: false, currency }
  const { channelMsisdn, pin } = settings
  if (channelMsisdn === undefined || pin === undefined) {
    const signedIn = await client.signIn()
    return signedIn === 'signed_in' ? { ...balance, depositMinor: null, exchange: withoutCall('Signed in') } : unknownOutcome(signedIn)
  }
  const bodyOf = (encryptedPinCode: string) => ({ idType: 'MSISDN', id: channelMsisdn, encryptedPinCode, wallet: 'PRINCIPAL' })
  const outcome = await client.postWithPin('/api/eWallet/v1/account/retailer/balance', bodyOf, {})
  const body = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, balanceSchema) : undefined
  const depositMinor = body?.unit === currency ? balanceMinorOf(body.value) : undefined
  return depositMinor === undefined ? unknownOutcome(outcome) : { ...balance, depositMinor, exchange: exchangeOf(outcome) }
}

/** About the transaction in its metadata. Without a secret to check its signature it is a hint. */
function parseCallback(
  { context, settings: { signingSecret } }: Sonatel,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): CallbackOutcome {
  const header = headers['x-sonatel-signature']
  if (signingSecret !== undefined && !isSigned({ secret: signingSecret, header, body, now: context.clock.now() }, ','))
    return { kind: 'unverified' }
  const notification = readAnswer({ kind: 'answered', httpStatus: 200, body: body.toString('utf8') }, callbackSchema)
  if (!notification) return { kind: 'malformed', detail: 'The body is not a notification of Sonatel' }
  const { metadata, status } = notification
  const claim = status === 'SUCCESS' ? 'succeeded' : /^(FAILED|REJECTED|CANCELLED)$/.test(status) ? 'failed' : 'pending'
  return {
    kind: 'callback',
    applicationId: metadata.application,
    reference: metadata.transaction,
    claim,
    isVerified: signingSecret !== undefined,
  }
}

function notSent(detail: string): SubmitOutcome {
  return { kind: 'not_sent', detail, exchange: withoutCall(detail) }
}

function withoutCall(answer: string): Exchange {
  return { httpStatus: null, answer }
}

/** The eWallet API of Orange in Senegal (README.md). */
export const SONATEL_PROTOCOL = defineProtocol({
  name: 'orange-sonatel',
  operators: ['SNOM'],
  schema: sonatelSettingsSchema,
  secretFields: ['clientId', 'clientSecret', 'pin', 'signingSecret'],
  directionsOf: ({ channelMsisdn, pin }) => (channelMsisdn === undefined || pin === undefined ? ['COLLECT'] : ['COLLECT', 'DEPOSIT']),
  // An empty search that denies a QR code, which nobody has, denies no payment that was submitted with a code before the settings changed.
  environmentOf: ({ environment, collectBy, believesEmptySearches }) =>
    collectBy === 'qr' && !believesEmptySearches ? `${environment} qr` : environment,
  connect: createSonatelConnector,
})
