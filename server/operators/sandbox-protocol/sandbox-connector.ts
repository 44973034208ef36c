import { z } from 'zod'
import { formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type {
  BalanceOutcome,
  CallbackOutcome,
  Connector,
  Exchange,
  FinalOutcome,
  QueryOutcome,
  ReportedMovement,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
  UnknownOutcome,
} from '../connector.ts'
import { type CallOutcome, createOperatorHttpClient, exchangeOf, type OperatorHttpClient } from '../operator-http-client.ts'
import type { OperatorSettings } from '../settings/operator-settings.ts'
import { ALL_OPERATORS, COMMON_SETTINGS, type ConnectorContext, defineProtocol, secretText } from '../settings/protocol.ts'
import { reportedNumber } from '../wire-formats.ts'
import {
  balanceSchema,
  isSignedCallback,
  problemSchema,
  SIGNATURE_HEADER,
  type Transfer,
  type TransferRequest,
  transferSchema,
} from './messages.ts'

type SandboxConnectorOptions = Omit<ConnectorContext, 'tokens'> & {
  /** The address of the operator, for example http://127.0.0.1:4010. */
  baseUrl: string
  /** Shared with the operator: authorises calls, signs callbacks. */
  secret: string
}

const CLAIMS = { SUCCESS: 'succeeded', FAILED: 'failed', PENDING: 'pending' } as const

/** Implements the sandbox's own HTTP/JSON protocol, which all thirteen codes use there. */
export function createSandboxConnector(options: SandboxConnectorOptions): Connector {
  const client = createOperatorHttpClient(options.baseUrl, options.connectionsMax, options.transport)
  return {
    terms: options.terms,
    submit: (submission) => submit(client, options, submission),
    query: (query) => askStatus(client, options, query),
    balance: () => balance(client, options),
    parseCallback: (headers, body) => parseCallback(options, headers, body),
    close: () => client.close(),
  }
}

async function submit(client: OperatorHttpClient, options: SandboxConnectorOptions, submission: Submission): Promise<SubmitOutcome> {
  const request: TransferRequest = {
    reference: submission.reference,
    direction: submission.type,
    amount: formatMinor(submission.amountMinor),
    currency: submission.currency,
    phoneNumber: submission.phoneNumber,
    customerName: submission.customerName,
    context: submission.applicationId,
    callbackUrl: options.callbackUrl,
  }
  const outcome = await client.call({
    method: 'POST',
    path: `/v1/${options.operator}/transfers`,
    headers: { 'content-type': 'application/json', ...authorisation(options) },
    body: JSON.stringify(request),
    timeoutMs: options.submitTimeoutMs,
    writeBeforeMs: submission.writeBeforeMs,
  })
  const transfer = transferIn(outcome, submission.reference)
  if (transfer)
    return transfer.status === 'PENDING'
      ? { kind: 'accepted', ...identifiersOf(transfer), exchange: exchangeOf(outcome) }
      : finalOutcome(transfer, exchangeOf(outcome))
  if (outcome.kind === 'lost' && !outcome.wasWritten) return { kind: 'not_sent', detail: outcome.detail, exchange: exchangeOf(outcome) }
  return unknown(outcome)
}

async function askStatus(client: OperatorHttpClient, options: SandboxConnectorOptions, query: StatusEnquiry): Promise<QueryOutcome> {
  const outcome = await client.call({
    method: 'GET',
    path: `/v1/${options.operator}/transfers/${query.reference}`,
    headers: authorisation(options),
    timeoutMs: options.queryTimeoutMs,
  })
  const transfer = transferIn(outcome, query.reference)
  if (transfer)
    return transfer.status === 'PENDING'
      ? { kind: 'pending', ...identifiersOf(transfer), exchange: exchangeOf(outcome) }
      : finalOutcome(transfer, exchangeOf(outcome))
  // Only the operator's own answer proves that it does not know the reference.
  const problem = outcome.kind === 'answered' && outcome.httpStatus === 404 ? parseJson(problemSchema, outcome.body) : undefined
  return problem?.code === 'UNKNOWN_REFERENCE' ? { kind: 'not_found', exchange: exchangeOf(outcome) } : unknown(outcome)
}

async function balance(client: OperatorHttpClient, options: SandboxConnectorOptions): Promise<BalanceOutcome> {
  const outcome = await client.call({
    method: 'GET',
    path: `/v1/${options.operator}/balance`,
    headers: authorisation(options),
    timeoutMs: options.queryTimeoutMs,
  })
  const body = outcome.kind === 'answered' && outcome.httpStatus === 200 ? parseJson(balanceSchema, outcome.body) : undefined
  if (!body) return unknown(outcome)
  return {
    kind: 'balance',
    collectMinor: minorOf(body.collect),
    depositMinor: minorOf(body.deposit),
    isOneAccount: false,
    currency: body.currency,
    exchange: exchangeOf(outcome),
  }
}

/** The body of a callback: a transfer that names one of our transactions and its application. */
const callbackSchema = transferSchema.extend({ reference: z.uuid(), context: z.uuid() })

function parseCallback(
  options: SandboxConnectorOptions,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): CallbackOutcome {
  const signature = headers[SIGNATURE_HEADER]
  if (typeof signature !== 'string' || !isSignedCallback(options.secret, signature, body, options.clock.now()))
    return { kind: 'unverified' }
  const transfer = parseJson(callbackSchema, body.toString('utf8'))
  if (!transfer) return { kind: 'malformed', detail: 'The body is not a transfer of this protocol' }
  return {
    kind: 'callback',
    applicationId: transfer.context,
    reference: transfer.reference,
    claim: CLAIMS[transfer.status],
    isVerified: true,
  }
}

/** The transfer in an answer; undefined unless the answer is a 2xx about this reference. */
function transferIn(outcome: CallOutcome, reference: string): Transfer | undefined {
  if (outcome.kind !== 'answered' || outcome.httpStatus < 200 || outcome.httpStatus > 299) return undefined
  const transfer = parseJson(transferSchema, outcome.body)
  return transfer?.reference === reference ? transfer : undefined
}

function finalOutcome(transfer: Transfer, exchange: Exchange): FinalOutcome {
  if (transfer.status === 'SUCCESS') return { kind: 'succeeded', ...identifiersOf(transfer), reported: movementOf(transfer), exchange }
  return { kind: 'failed', reason: transfer.message ?? '', ...identifiersOf(transfer), exchange }
}

function movementOf({ amount, currency, phoneNumber }: Transfer): ReportedMovement {
  return { amountMinor: amount, currency: currency ?? undefined, phoneNumber: reportedNumber(phoneNumber) }
}

function unknown(outcome: CallOutcome): UnknownOutcome {
  const detail = outcome.kind === 'lost' ? outcome.detail : `HTTP ${outcome.httpStatus} without a usable answer`
  return { kind: 'unknown', detail, exchange: exchangeOf(outcome) }
}

function identifiersOf(transfer: Transfer): { operatorReference: string; operatorToken?: string } {
  return { operatorReference: transfer.operatorReference, operatorToken: transfer.token }
}

function authorisation(options: SandboxConnectorOptions): { authorization: string } {
  return { authorization: `Bearer ${options.secret}` }
}

/** A balance may be zero, which no amount of a transaction is. */
function minorOf(text: string): bigint | null {
  return /^0(\.0{1,2})?$/.test(text) ? 0n : (parseAmountMinor(text) ?? null)
}

function parseJson<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    // Not JSON: an operator's answer may be anything, and then counts as unreadable.
    return undefined
  }
}

/** The product's own protocol: what the simulator speaks for codes without another one, and what a gateway of the installation may speak. */
export const GATEWAY_PROTOCOL = defineProtocol({
  name: 'gateway',
  operators: ALL_OPERATORS,
  schema: z.strictObject({
    ...COMMON_SETTINGS,
    /** Shared with the gateway: authorises calls, signs callbacks. */
    secret: secretText,
    /** The directions that it serves; both if left out. */
    directions: z.array(z.enum(TRANSACTION_TYPES)).min(1).optional(),
  }),
  secretFields: ['secret'],
  directionsOf: (settings) => settings.directions ?? TRANSACTION_TYPES,
  // A gateway may move to another address with everything that it knows.
  environmentOf: () => '',
  connect: (context, settings) => createSandboxConnector({ ...context, baseUrl: settings.baseUrl, secret: settings.secret }),
})

/** Settings of the gateway protocol as the environment names them. */
export function gatewaysOf(byOperator: Partial<Record<OperatorCode, { baseUrl: string; secret: string }>>): OperatorSettings[] {
  return OPERATOR_CODES.flatMap((operator) => {
    const gateway = byOperator[operator]
    return gateway ? gatewaySettings([operator], { baseUrl: gateway.baseUrl, secret: gateway.secret }) : []
  })
}

/** Settings of the gateway protocol, the same for each of these operators. */
export function gatewaySettings(operators: readonly OperatorCode[], document: { baseUrl: string; secret: string }): OperatorSettings[] {
  return operators.map((operator) => ({ operator, protocol: GATEWAY_PROTOCOL.name, document }))
}
