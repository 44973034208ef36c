import { z } from 'zod'
import { formatMinor } from '#lib/money/money.ts'
import { maskHolderName } from '#lib/operators/account-check.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { type AnswerTable, answerOf, outcomeOfCode } from '../answer-table.ts'
import type { AccountOutcome, BalanceOutcome, Connector, QueryOutcome, StatusEnquiry, Submission, SubmitOutcome } from '../connector.ts'
import {
  type CallOutcome,
  createOperatorHttpClient,
  exchangeOf,
  notSentOrUnknown,
  type OperatorHttpClient,
  type OperatorRequest,
  unknownOutcome,
} from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import { balanceMinorOf, refuseDecimals } from '../wire-formats.ts'
import {
  accountSchema,
  BARRED_CODES,
  balanceSchema,
  type Fields,
  isNotFound,
  type MoovOperation,
  type MoovSettings,
  moovAnswersOf,
  moovSettingsSchema,
  pushSchema,
  readEnvelope,
  transferSchema,
  writeEnvelope,
} from './messages.ts'

const SUCCESS = '0'
const PENDING = '100'
const PUSH_MESSAGE = 'Confirmez le paiement'
const NO_BALANCE = 'The settings name no account for a balance (accountMsisdn)'

type Moov = { context: ConnectorContext; settings: MoovSettings; answers: AnswerTable; http: OperatorHttpClient }

/** The merchant API of Moov in one country. It sends no callbacks. */
export function createMoovConnector(context: ConnectorContext, settings: MoovSettings): Connector {
  const http = createOperatorHttpClient(settings.baseUrl, context.connectionsMax, context.transport)
  const moov: Moov = { context, settings, answers: moovAnswersOf(settings), http }
  return {
    terms: context.terms,
    submit: (submission) => submit(moov, submission),
    query: (query) => queryStatus(moov, query),
    balance: () => readBalance(moov),
    checkAccount: (phoneNumber) => checkAccount(moov, phoneNumber),
    parseCallback: () => ({ kind: 'malformed', detail: 'Moov sends no callbacks' }),
    close: () => http.close(),
  }
}

async function submit(moov: Moov, submission: Submission): Promise<SubmitOutcome> {
  const refusal = refuseDecimals(submission, moov.settings.takesDecimals)
  if (refusal) return refusal
  return submission.type === 'COLLECT' ? push(moov, submission) : transfer(moov, submission)
}

/** The customer is asked to confirm; the answer does not wait for that. */
async function push(moov: Moov, submission: Submission): Promise<SubmitOutcome> {
  const { settings, context } = moov
  const { writeBeforeMs } = submission
  const limits = { timeoutMs: context.submitTimeoutMs, writeBeforeMs }
  const { outcome, answer } = await call(moov, 'PushWithPending', limits, pushSchema, {
    msisdn: msisdnOf(settings, submission.phoneNumber),
    message: settings.pushMessage ?? PUSH_MESSAGE,
    amount: formatMinor(submission.amountMinor),
    externaldata1: submission.reference,
    externaldata2: submission.applicationId,
    fee: '0',
  })
  if (!answer || isOther(settings, answer.transid, submission.reference)) return notSentOrUnknown(outcome)
  const operatorReference = answer.referenceid || undefined
  // Success is that the request was taken: the status enquiry says whether the customer paid.
  if (answer.status === PENDING || answer.status === SUCCESS) return { kind: 'accepted', operatorReference, exchange: exchangeOf(outcome) }
  return outcomeOfCode(moov.answers, answer.status, outcome)
}

async function transfer(moov: Moov, submission: Submission): Promise<SubmitOutcome> {
  const { settings, context } = moov
  const { writeBeforeMs } = submission
  const limits = { timeoutMs: context.submitTimeoutMs, writeBeforeMs }
  const { outcome, answer } = await call(moov, 'transferFlooz', limits, transferSchema, {
    request: {
      destination: msisdnOf(settings, submission.phoneNumber),
      amount: formatMinor(submission.amountMinor),
      referenceid: submission.reference,
      walletid: '0',
      extendeddata: submission.applicationId,
    },
  })
  if (!answer || isOther(settings, answer.referenceid, submission.reference)) return notSentOrUnknown(outcome)
  const identifiers = { operatorReference: answer.transactionid || undefined, exchange: exchangeOf(outcome) }
  if (answer.status === PENDING) return { kind: 'accepted', ...identifiers }
  if (answer.status === SUCCESS) return { kind: 'succeeded', ...identifiers }
  return outcomeOfCode(moov.answers, answer.status, outcome)
}

async function queryStatus(moov: Moov, query: StatusEnquiry): Promise<QueryOutcome> {
  const { settings, context } = moov
  const fields = { request: { transid: query.reference } }
  const { outcome, answer } = await call(moov, 'getTransactionStatus', queryLimits(context), pushSchema, fields)
  if (!answer) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  if (isNotFound(settings, answer.status)) return { kind: 'not_found', exchange }
  if (isOther(settings, answer.transid, query.reference) || (settings.echoesReference && !answer.transid)) return unknownOutcome(outcome)
  const identifiers = { operatorReference: answer.referenceid || undefined, exchange }
  if (answer.status === SUCCESS) return { kind: 'succeeded', ...identifiers }
  if (answer.status === PENDING) return { kind: 'pending', ...identifiers }
  const ended = outcomeOfCode(moov.answers, answer.status, outcome)
  return ended.kind === 'failed' ? ended : unknownOutcome(outcome)
}

/** One account serves both directions. */
async function readBalance(moov: Moov): Promise<BalanceOutcome> {
  const { settings, context } = moov
  if (settings.accountMsisdn === undefined)
    return { kind: 'unknown', detail: NO_BALANCE, exchange: { httpStatus: null, answer: NO_BALANCE } }
  const fields = { request: { msisdn: settings.accountMsisdn } }
  const { outcome, answer } = await call(moov, 'getBalance', queryLimits(context), balanceSchema, fields)
  const minor = answer?.status === SUCCESS ? balanceMinorOf(answer.balance) : undefined
  if (minor === undefined) return unknownOutcome(outcome)
  const { currency } = OPERATORS[context.operator].country
  return { kind: 'balance', collectMinor: minor, depositMinor: minor, isOneAccount: true, currency, exchange: exchangeOf(outcome) }
}

async function checkAccount(moov: Moov, phoneNumber: string): Promise<AccountOutcome> {
  const { settings, context } = moov
  const fields = { request: { msisdn: msisdnOf(settings, phoneNumber) } }
  const { outcome, answer } = await call(moov, 'getMobileAccountStatus', queryLimits(context), accountSchema, fields)
  const exchange = exchangeOf(outcome)
  if (answer?.status === SUCCESS) {
    if (answer.msisdn && !answer.msisdn.endsWith(fields.request.msisdn)) return unknownOutcome(outcome)
    return { kind: 'active', holderName: maskHolderName(answer.firstname, answer.lastname), exchange }
  }
  if (BARRED_CODES.has(answer?.status ?? '')) return { kind: 'barred', exchange }
  const meaning = answerOf(moov.answers, answer?.status)
  const isUnregistered = meaning.outcome === 'failed' && (meaning.reason === 'notRegistered' || meaning.reason === 'invalidNumber')
  return isUnregistered ? { kind: 'not_registered', exchange } : unknownOutcome(outcome)
}

async function call<Answer>(
  { settings, http }: Moov,
  operation: MoovOperation,
  limits: Pick<OperatorRequest, 'timeoutMs' | 'writeBeforeMs'>,
  schema: z.ZodType<Answer>,
  fields: Fields,
): Promise<{ outcome: CallOutcome; answer: Answer | undefined }> {
  const outcome = await http.call({
    method: 'POST',
    path: '/UssdPush',
    headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
    body: writeEnvelope(settings, operation, fields),
    ...limits,
  })
  return { outcome, answer: schema.safeParse(readEnvelope(outcome, operation)).data }
}

function queryLimits({ queryTimeoutMs }: ConnectorContext): Pick<OperatorRequest, 'timeoutMs'> {
  return { timeoutMs: queryTimeoutMs }
}

const referenceSchema = z.uuid()

/**
 * Whether an answer is about another transfer. Where Moov has a reference of its own in the place of ours, only one in the form of ours is
 * another one.
 */
function isOther({ echoesReference }: MoovSettings, echo: string | undefined, reference: string): boolean {
  if (!echo || echo === reference) return false
  return echoesReference === true || referenceSchema.safeParse(echo).success
}

/** The whole number, without a plus; of Benin in its present or its former form. */
function msisdnOf({ dropsNewPrefix }: MoovSettings, phoneNumber: string): string {
  return dropsNewPrefix ? phoneNumber.replace(/^22901(?=\d{8}$)/, '229') : phoneNumber
}

/** The merchant API of Moov, SOAP (README.md). */
export const MOOV_PROTOCOL = defineProtocol({
  name: 'moov',
  operators: ['BJMOOV', 'MLMOOV'],
  schema: moovSettingsSchema,
  secretFields: ['username', 'password', 'key'],
  directionsOf: ({ directions }) => directions ?? TRANSACTION_TYPES,
  environmentOf: ({ environment }) => environment,
  connect: createMoovConnector,
})
