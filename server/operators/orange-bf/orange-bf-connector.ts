import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { type AnswerTable, outcomeOfCode, withAgreed } from '../answer-table.ts'
import type { CodeRefusal, Connector, Exchange, Submission, SubmitOutcome, UnknownOutcome } from '../connector.ts'
import { createOperatorHttpClient, exchangeOf, notSentOrUnknown, type OperatorHttpClient, unknownOutcome } from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import { nationalNumber, refuseDecimals } from '../wire-formats.ts'
import {
  ORANGE_BF_ANSWERS,
  type OrangeBfSettings,
  orangeBfSettingsSchema,
  readReply,
  USED_BEFORE,
  WRONG_CODES,
  writeCommand,
} from './messages.ts'

const NO_QUERY: UnknownOutcome = {
  kind: 'unknown',
  detail: 'This operator answers no queries',
  exchange: { httpStatus: null, answer: 'This operator answers no queries' },
}

type OrangeBf = { http: OperatorHttpClient; context: ConnectorContext; settings: OrangeBfSettings; answers: AnswerTable }

/** Payments of Orange Money in Burkina Faso: one call with the customer's code, answered with the result. */
export function createOrangeBfConnector(context: ConnectorContext, settings: OrangeBfSettings): Connector {
  const http = createOperatorHttpClient(settings.baseUrl, context.connectionsMax, context.transport)
  const { currency } = OPERATORS[context.operator].country
  const bf: OrangeBf = { http, context, settings, answers: withAgreed(ORANGE_BF_ANSWERS, settings.codeMeanings) }
  return {
    terms: context.terms,
    customerStep: { dial: (amountMinor) => `*144*4*6*${formatMinor(amountMinor)}#`, codeLength: 6 },
    hasNoQueries: true,
    submit: (submission) => pay(bf, submission),
    query: async () => NO_QUERY,
    // No call moves nothing and says whether the credentials are right.
    balance: async () => ({
      kind: 'balance',
      collectMinor: null,
      depositMinor: null,
      isOneAccount: false,
      currency,
      exchange: { httpStatus: null, answer: 'Not tested: no call is free of money' },
    }),
    parseCallback: () => ({ kind: 'malformed', detail: 'This operator sends no callbacks' }),
    close: () => http.close(),
  }
}

async function pay({ http, context, settings, answers }: OrangeBf, submission: Submission): Promise<SubmitOutcome | CodeRefusal> {
  const { reference, amountMinor, customerCode, isRepeated, writeBeforeMs } = submission
  // The string that the customer dials has no decimals.
  const refusal = refuseDecimals(submission, false)
  if (refusal) return refusal
  if (customerCode === undefined) return { ...NO_QUERY, kind: 'not_sent', detail: 'The customer has entered no code' }
  const outcome = await http.call({
    method: 'POST',
    path: settings.path,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: writeCommand([
      ['TYPE', 'OMPREQ'],
      ['customer_msisdn', nationalNumber(submission)],
      ['merchant_msisdn', settings.merchantMsisdn],
      ['api_username', settings.apiUsername],
      ['api_password', settings.apiPassword],
      ['amount', formatMinor(amountMinor)],
      ['PROVIDER', '101'],
      ['PROVIDER2', '101'],
      ['PAYID', '12'],
      ['PAYID2', '12'],
      ['otp', customerCode],
      ['reference_number', reference],
      ['ext_txn_id', reference],
    ]),
    timeoutMs: context.submitTimeoutMs,
    writeBeforeMs,
  })
  const exchange = withoutCode(exchangeOf(outcome), customerCode)
  const reply = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readReply(outcome.body) : undefined
  if (!reply) return { ...(outcome.kind === 'lost' ? notSentOrUnknown(outcome) : unknownOutcome(outcome)), exchange }
  const { status, transID } = reply
  if (status === '200') return { kind: 'succeeded', exchange, ...(transID && { operatorReference: transID }) }
  // Of a repeated payment it may be the first one that used the code.
  if (WRONG_CODES.has(status) && !(status === USED_BEFORE && isRepeated)) return { kind: 'wrong_code', operatorCode: status, exchange }
  return { ...outcomeOfCode(answers, status, outcome), exchange }
}

/** Answers are stored; a code that one repeats is not. */
function withoutCode({ httpStatus, answer }: Exchange, code: string): Exchange {
  return { httpStatus, answer: answer.replaceAll(code, '*'.repeat(code.length)) }
}

/** Payments of Orange Money in Burkina Faso (README.md). Deposits need another protocol. */
export const ORANGE_BF_PROTOCOL = defineProtocol({
  name: 'orange-bf',
  operators: ['BFOM'],
  schema: orangeBfSettingsSchema,
  secretFields: ['apiUsername', 'apiPassword'],
  answersSynchronously: true,
  directionsOf: () => ['COLLECT'],
  environmentOf: ({ baseUrl }) => new URL(baseUrl).hostname,
  connect: createOrangeBfConnector,
})
