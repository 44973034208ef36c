import type { z } from 'zod'
import { type Currency, formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import { maskHolderName } from '#lib/operators/account-check.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { FAILURE_MESSAGES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { failureReason, outcomeOfCode } from '../answer-table.ts'
import type {
  AccountOutcome,
  BalanceOutcome,
  CallbackOutcome,
  Connector,
  QueryOutcome,
  ReportedMovement,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
} from '../connector.ts'
import {
  type CallOutcome,
  createOperatorHttpClient,
  exchangeOf,
  notSentOrUnknown,
  readAnswer,
  unknownOutcome,
} from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import type { TokenClient } from '../tokens/token-client.ts'
import { refuseDecimals, reportedNumber } from '../wire-formats.ts'
import {
  activeSchema,
  balanceSchema,
  basicUserSchema,
  errorSchema,
  MTN_ANSWERS,
  type MtnTransfer,
  mtnReference,
  REFUSALS,
  reasonOf,
  transferSchema,
} from './messages.ts'
import { refund } from './mtn-refunds.ts'
import { createProductClient, type MtnProduct, type MtnSettings, mtnSettingsSchema } from './product-client.ts'

/** The call of each direction, its product, and the field that names the customer. */
const CALLS = {
  COLLECT: { product: 'collection', resource: 'requesttopay', party: 'payer' },
  DEPOSIT: { product: 'disbursement', resource: 'transfer', party: 'payee' },
} as const

const CLAIMS = { SUCCESSFUL: 'succeeded', FAILED: 'failed' } as const

type Mtn = {
  context: ConnectorContext
  settings: MtnSettings
  clients: ReadonlyMap<MtnProduct, TokenClient>
}

/** The MTN MoMo Open API of one country. */
export function createMtnConnector(context: ConnectorContext, settings: MtnSettings): Connector {
  const http = createOperatorHttpClient(settings.baseUrl, context.connectionsMax, context.transport)
  const clients = new Map<MtnProduct, TokenClient>()
  for (const product of ['collection', 'disbursement'] as const) {
    const credentials = settings[product]
    if (credentials) clients.set(product, createProductClient({ http, context, settings, product, credentials }))
  }
  const mtn: Mtn = { context, settings, clients }
  const disbursement = clients.get('disbursement')
  return {
    terms: context.terms,
    submit: (submission) => submit(mtn, submission),
    query: (query) => queryStatus(mtn, query),
    balance: () => readBalance(mtn),
    checkAccount: (phoneNumber) => checkAccount(mtn, phoneNumber),
    ...(disbursement && {
      reversals: { types: ['COLLECT'], isRepeatable: true, reverse: (reversal) => refund(disbursement, context, settings, reversal) },
    }),
    parseCallback: (_headers, body) => parseCallback(body),
    close: () => http.close(),
  }
}

async function submit({ context, settings, clients }: Mtn, submission: Submission): Promise<SubmitOutcome> {
  const { product, resource, party } = CALLS[submission.type]
  const client = clients.get(product)
  if (!client) return notInService
  const refusal = refuseDecimals(submission, settings.takesDecimals)
  if (refusal) return refusal
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
      payerMessage: messageFor(submission),
      payeeNote: submission.reference,
    }),
    timeoutMs: context.submitTimeoutMs,
    writeBeforeMs: submission.writeBeforeMs,
  })
  return submitOutcomeOf(outcome)
}

/** Only what MTN's core says: an empty body, or one of the gateway before it, proves nothing. */
function submitOutcomeOf(outcome: CallOutcome): SubmitOutcome {
  if (outcome.kind !== 'answered') return notSentOrUnknown(outcome)
  const { httpStatus } = outcome
  if (httpStatus === 202) return { kind: 'accepted', exchange: exchangeOf(outcome) }
  const error = REFUSALS.has(httpStatus) ? readAnswer(outcome, errorSchema) : undefined
  const result = outcomeOfCode(MTN_ANSWERS, error?.code, outcome)
  const isAboutNumber = httpStatus === 400 && /party_?id|msisdn/i.test(error?.message ?? '')
  return result.kind === 'failed' && isAboutNumber ? { ...result, reason: FAILURE_MESSAGES.invalidNumber } : result
}

const MESSAGE_LENGTH_MAX = 160

/** The message that the customer reads when asked for the PIN: who requests or pays the money. MTN refuses apostrophes and other signs. */
function messageFor({ merchantName = '', reference }: Submission): string {
  const name = merchantName
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9.-]+/g, ' ')
    .trim()
  return (name || `Transaction ${reference}`).slice(0, MESSAGE_LENGTH_MAX)
}

async function queryStatus({ context, settings, clients }: Mtn, query: StatusEnquiry): Promise<QueryOutcome> {
  const { product, resource, party } = CALLS[query.type]
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
  if (transfer.status === 'SUCCESSFUL')
    return { kind: 'succeeded', ...identifiers, reported: reportedBy(transfer, party, settings), exchange }
  if (transfer.status !== 'FAILED') return { kind: 'pending', ...identifiers, exchange }
  const code = reasonOf(transfer)
  return { kind: 'failed', reason: failureReason(MTN_ANSWERS, code), operatorCode: code, ...identifiers, exchange }
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
  const holder = `/${product}/v1_0/accountholder/msisdn/${encodeURIComponent(phoneNumber)}`
  const request = { method: 'GET', headers: {}, timeoutMs: context.queryTimeoutMs } as const
  const outcome = await client.call({ ...request, path: `${holder}/active` })
  const body = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, activeSchema) : undefined
  if (!body) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  if (!body.result) return { kind: 'not_registered', exchange }
  // Where the name is not to be had, the account is still active.
  const named = await client.call({ ...request, path: `${holder}/basicuserinfo` })
  const user = named.kind === 'answered' && named.httpStatus === 200 ? readAnswer(named, basicUserSchema) : undefined
  return { kind: 'active', holderName: maskHolderName(user?.given_name, user?.family_name), exchange }
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

function reportedBy(transfer: MtnTransfer, party: 'payer' | 'payee', { sandboxCurrency }: MtnSettings): ReportedMovement {
  const { amount, currency } = transfer
  return {
    amountMinor: amount,
    // MTN's sandbox moves EUR in place of what the transaction is in.
    currency: currency === sandboxCurrency ? undefined : (currency ?? undefined),
    phoneNumber: reportedNumber(transfer[party]?.partyId),
  }
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

/** The MTN MoMo Open API (README.md). */
export const MTN_PROTOCOL = defineProtocol({
  name: 'mtn-momo',
  operators: ['MOMOCM', 'BJMTN', 'UGMTN'],
  schema: mtnSettingsSchema,
  secretFields: ['subscriptionKey', 'apiKey'],
  directionsOf: ({ collection, disbursement }) => {
    const served: [TransactionType, unknown][] = [
      ['COLLECT', collection],
      ['DEPOSIT', disbursement],
    ]
    return served.flatMap(([type, product]) => (product ? [type] : []))
  },
  environmentOf: ({ targetEnvironment }) => targetEnvironment,
  connect: createMtnConnector,
})
