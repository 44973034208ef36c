import type { z } from 'zod'
import { type Currency, formatMinor, parseAmountMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type {
  AccountOutcome,
  BalanceOutcome,
  CallbackOutcome,
  Connector,
  FinalOutcome,
  QueryOutcome,
  StatusQuery,
  Submission,
  SubmitOutcome,
} from '#server/operators/connector.ts'
import { failureReason } from '#server/operators/failure-table.ts'
import { createOperatorHttpClient, exchangeOf } from '#server/operators/operator-call.ts'
import { notSentOrUnknown, readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { MTN_FAILURES } from './failures.ts'
import { activeSchema, balanceSchema, errorSchema, type MtnTransfer, transferSchema } from './messages.ts'
import { createProductClient, type MtnProduct, type ProductClient } from './product-client.ts'
import { mtnReference } from './reference.ts'
import type { MtnSettings } from './settings.ts'

/** The call of each direction, its product, and the field that names the customer. */
const CALLS = {
  COLLECT: { product: 'collection', resource: 'requesttopay', party: 'payer' },
  DEPOSIT: { product: 'disbursement', resource: 'transfer', party: 'payee' },
} as const

const CLAIMS = { SUCCESSFUL: 'succeeded', FAILED: 'failed' } as const

type Mtn = {
  context: ConnectorContext
  settings: MtnSettings
  clients: ReadonlyMap<MtnProduct, ProductClient>
}

/** The MTN MoMo Open API of one country. */
export function createMtnConnector(context: ConnectorContext, settings: MtnSettings): Connector {
  const http = createOperatorHttpClient(settings.baseUrl, context.connectionsMax)
  const clients = new Map<MtnProduct, ProductClient>()
  for (const product of ['collection', 'disbursement'] as const) {
    const credentials = settings[product]
    if (credentials) clients.set(product, createProductClient({ http, context, settings, product, credentials }))
  }
  const mtn: Mtn = { context, settings, clients }
  return {
    terms: context.terms,
    submit: (submission) => submit(mtn, submission),
    query: (query) => queryStatus(mtn, query),
    balance: () => readBalance(mtn),
    checkAccount: (phoneNumber) => checkAccount(mtn, phoneNumber),
    parseCallback: (_headers, body) => parseCallback(body),
    close: () => http.close(),
  }
}

async function submit({ context, settings, clients }: Mtn, submission: Submission): Promise<SubmitOutcome> {
  const { product, resource, party } = CALLS[submission.type]
  const client = clients.get(product)
  if (!client) return notInService
  const outcome = await client.call({
    method: 'POST',
    path: `/${product}/v1_0/${resource}`,
    headers: {
      'x-reference-id': mtnReference(submission.reference),
      ...(context.callbackUrl && { 'x-callback-url': context.callbackUrl }),
    },
    body: JSON.stringify({
      amount: formatMinor(submission.amountMinor),
      currency: settings.sandboxCurrency ?? submission.currency,
      externalId: externalIdOf(submission),
      [party]: { partyIdType: 'MSISDN', partyId: submission.phoneNumber },
      // A name could contain an apostrophe, which MTN refuses.
      payerMessage: '',
      payeeNote: '',
    }),
    timeoutMs: context.submitTimeoutMs,
  })
  if (outcome.kind === 'answered') {
    const exchange = exchangeOf(outcome)
    // 409: the reference is known, because an earlier submission arrived.
    if (outcome.httpStatus === 202 || outcome.httpStatus === 409) return { kind: 'accepted', exchange }
    if (outcome.httpStatus === 400) return refusal(outcome.body) ?? unknownOutcome(outcome)
  }
  return notSentOrUnknown(outcome)

  /** Only MTN's own refusal: an empty body, or an error of the core. Nothing was created. */
  function refusal(body: string): FinalOutcome | undefined {
    const error = readAnswer(outcome, errorSchema)
    if (!error && body !== '') return undefined
    const isAboutNumber = /party_?id|msisdn/i.test(error?.message ?? '')
    return {
      kind: 'failed',
      reason: isAboutNumber ? FAILURE_MESSAGES.invalidNumber : failureReason(MTN_FAILURES, error?.code),
      operatorCode: error?.code ?? 'HTTP 400',
      exchange: exchangeOf(outcome),
    }
  }
}

async function queryStatus({ context, clients }: Mtn, query: StatusQuery): Promise<QueryOutcome> {
  const { product, resource } = CALLS[query.type]
  const client = clients.get(product)
  if (!client) return { ...notInService, kind: 'unknown' }
  const outcome = await client.call({
    method: 'GET',
    path: `/${product}/v1_0/${resource}/${mtnReference(query.reference)}`,
    headers: {},
    timeoutMs: context.queryTimeoutMs,
  })
  const exchange = exchangeOf(outcome)
  if (outcome.kind === 'answered' && outcome.httpStatus === 404)
    return readAnswer(outcome, errorSchema)?.code === 'RESOURCE_NOT_FOUND' ? { kind: 'not_found', exchange } : unknownOutcome(outcome)
  const transfer = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, transferSchema) : undefined
  // The answer does not repeat the reference; our own text in it shows that it is about this transfer.
  if (transfer?.externalId !== externalIdOf(query)) return unknownOutcome(outcome)
  const identifiers = { operatorReference: transfer.financialTransactionId }
  if (transfer.status === 'SUCCESSFUL') return { kind: 'succeeded', ...identifiers, exchange }
  if (transfer.status !== 'FAILED') return { kind: 'pending', ...identifiers, exchange }
  const code = codeOf(transfer)
  return { kind: 'failed', reason: failureReason(MTN_FAILURES, code), operatorCode: code, ...identifiers, exchange }
}

/** Collection and disbursement are separate accounts. */
async function readBalance({ context, clients }: Mtn): Promise<BalanceOutcome> {
  const balances = new Map<MtnProduct, bigint>()
  let last: BalanceOutcome = { ...notInService, kind: 'unknown' }
  for (const [product, client] of clients) {
    const outcome = await client.call({
      method: 'GET',
      path: `/${product}/v1_0/account/balance`,
      headers: {},
      timeoutMs: context.queryTimeoutMs,
    })
    const body = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, balanceSchema) : undefined
    const balanceMinor = body && minorOf(body.availableBalance)
    if (balanceMinor === undefined) return unknownOutcome(outcome)
    balances.set(product, balanceMinor)
    last = {
      kind: 'balance',
      collectMinor: balances.get('collection') ?? null,
      depositMinor: balances.get('disbursement') ?? null,
      isOneAccount: false,
      currency: currencyOf(context),
      exchange: exchangeOf(outcome),
    }
  }
  return last
}

async function checkAccount({ context, clients }: Mtn, phoneNumber: string): Promise<AccountOutcome> {
  const [entry] = clients
  if (!entry) return { ...notInService, kind: 'unknown' }
  const [product, client] = entry
  const outcome = await client.call({
    method: 'GET',
    path: `/${product}/v1_0/accountholder/msisdn/${encodeURIComponent(phoneNumber)}/active`,
    headers: {},
    timeoutMs: context.queryTimeoutMs,
  })
  const body = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, activeSchema) : undefined
  return body ? { kind: body.result ? 'active' : 'inactive', exchange: exchangeOf(outcome) } : unknownOutcome(outcome)
}

/** MTN signs nothing, so a callback is a hint. */
function parseCallback(body: Buffer): CallbackOutcome {
  const transfer = parseJson(transferSchema, body.toString('utf8'))
  const [reference = '', applicationId = ''] = transfer?.externalId.split('.') ?? []
  if (!transfer || applicationId === '') return { kind: 'malformed', detail: 'The body names no transfer of ours' }
  const claim = transfer.status === 'SUCCESSFUL' || transfer.status === 'FAILED' ? CLAIMS[transfer.status] : 'pending'
  return { kind: 'callback', applicationId, reference, claim, isVerified: false }
}

/** The transaction's id first, because people search for it in MTN's partner portal. */
function externalIdOf({ reference, applicationId }: Pick<Submission, 'reference' | 'applicationId'>): string {
  return `${reference}.${applicationId}`
}

function codeOf({ reason }: MtnTransfer): string | undefined {
  return typeof reason === 'string' ? reason : reason?.code
}

function currencyOf({ operator }: ConnectorContext): Currency {
  return OPERATORS[operator].country.currency
}

/** A balance may be zero, which no amount of a transaction is. */
function minorOf(text: string): bigint | undefined {
  return /^0+(\.0+)?$/.test(text) ? 0n : parseAmountMinor(text)
}

function parseJson<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  return readAnswer({ kind: 'answered', httpStatus: 200, body: text }, schema)
}

const notInService = {
  kind: 'not_sent' as const,
  detail: 'This direction has no credentials',
  exchange: { httpStatus: null, answer: 'This direction has no credentials' },
}
