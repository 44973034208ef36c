import { createHmac, timingSafeEqual } from 'node:crypto'
import { maskHolderName } from '#lib/operators/account-check.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { FAILURE_MESSAGES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { failureReason, faultOutcome, outcomeOfCode } from '../answer-table.ts'
import type {
  AccountOutcome,
  BalanceOutcome,
  CallbackOutcome,
  Connector,
  Exchange,
  FinalOutcome,
  OperatorIdentifiers,
  QueryOutcome,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
} from '../connector.ts'
import {
  type CallOutcome,
  exchangeOf,
  notSentOrUnknown,
  type OperatorRequest,
  readAnswer,
  unknownOutcome,
} from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import { notSent } from '../tokens/token-client.ts'
import { balanceMinorOf, jsonAmount, nationalNumber, refuseDecimals } from '../wire-formats.ts'
import {
  type AirtelClient,
  type AirtelSettings,
  airtelSettingsSchema,
  createAirtelClient,
  encryptForAirtel,
  signatureHeaders,
} from './airtel-client.ts'
import { refund } from './airtel-refunds.ts'
import {
  AIRTEL_ANSWERS,
  type AirtelTransfer,
  airtelId,
  balanceSchema,
  callbackSchema,
  callbackTransactionSchema,
  idsIn,
  problemSchema,
  transferSchema,
  UNDER_WAY,
  UNKNOWN_ID,
  userSchema,
} from './messages.ts'

type Airtel = { context: ConnectorContext; settings: AirtelSettings; client: AirtelClient }

/** The Airtel Africa Open API of one country. */
export function createAirtelConnector(context: ConnectorContext, settings: AirtelSettings): Connector {
  const client = createAirtelClient(context, settings)
  const airtel: Airtel = { context, settings, client }
  return {
    terms: { ...context.terms, enquiryDelayMs: settings.enquiryDelayMs },
    submit: (submission) => submit(airtel, submission),
    query: (query) => queryStatus(airtel, query),
    balance: () => readBalance(airtel),
    checkAccount: (phoneNumber) => checkAccount(airtel, phoneNumber),
    reversals: { types: ['COLLECT'], isRepeatable: false, reverse: (reversal) => refund(client, context, reversal) },
    parseCallback: (_headers, body) => parseAirtelCallback(settings.callbackKey, body),
    close: () => client.close(),
  }
}

async function submit(airtel: Airtel, submission: Submission): Promise<SubmitOutcome> {
  const { context, settings, client } = airtel
  const refusal = refuseDecimals(submission, settings.takesDecimals)
  if (refusal) return refusal
  const key = needsKey(settings, submission) ? await client.encryptionKey() : ''
  const request = key === undefined ? undefined : requestOf(airtel, submission, key)
  if (!request) return notSentOrUnknown(notSent("Airtel's encryption key cannot be read, or there is no PIN"))
  const { writeBeforeMs } = submission
  const outcome = await client.call({ method: 'POST', headers: {}, timeoutMs: context.submitTimeoutMs, writeBeforeMs, ...request })
  const result = submitOutcomeOf(outcome, airtelId(submission), submission.type)
  const isFault = result.kind === 'not_sent' && result.closesDirection !== undefined
  // It may be Airtel's key that has changed.
  if (result.kind === 'unknown' || isFault) client.forgetKey()
  if (!isFault || key === '' || (await client.encryptionKey()) === key) return result
  // It is: nothing of ours is wrong, and the next submission is encrypted with the new one.
  return { kind: 'not_sent', detail: result.detail, exchange: result.exchange }
}

function needsKey({ signsMessages }: AirtelSettings, { type }: Submission): boolean {
  return type === 'DEPOSIT' || signsMessages === true
}

type PostedRequest = Pick<OperatorRequest, 'path' | 'body'> & { headers?: Record<string, string> }

/** The call that moves money, signed and with its PIN; undefined without a PIN, or with a key that does not encrypt. */
function requestOf(airtel: Airtel, submission: Submission, key: string): PostedRequest | undefined {
  const { context, settings } = airtel
  const isDeposit = submission.type === 'DEPOSIT'
  const padding = settings.rsaPadding ?? 'pkcs1'
  const pin = isDeposit && settings.pin !== undefined ? encryptForAirtel(key, padding, settings.pin) : undefined
  if (isDeposit && pin === undefined) return undefined
  const body = JSON.stringify(pin === undefined ? paymentOf(context, submission) : disbursementOf(airtel, submission, pin))
  const path = isDeposit
    ? `/standard/${disbursementVersion(settings)}/disbursements/`
    : `/merchant/${settings.signsMessages ? 'v2' : 'v1'}/payments/`
  if (!settings.signsMessages) return { path, body }
  const headers = signatureHeaders(key, padding, body)
  return headers && { path, body, headers }
}

function disbursementVersion({ apiVersion, signsMessages }: AirtelSettings): 'v1' | 'v2' | 'v3' {
  return signsMessages ? 'v3' : (apiVersion ?? 'v2')
}

function paymentOf({ operator }: ConnectorContext, submission: Submission): object {
  const { country } = OPERATORS[operator]
  return {
    reference: referenceOf(submission),
    subscriber: { country: country.code, currency: country.currency, msisdn: nationalNumber(submission) },
    transaction: {
      amount: jsonAmount(submission.amountMinor),
      country: country.code,
      currency: country.currency,
      id: airtelId(submission),
    },
  }
}

function disbursementOf({ context, settings }: Airtel, submission: Submission, pin: string): object {
  const version = disbursementVersion(settings)
  const { currency } = OPERATORS[context.operator].country
  return {
    payee: {
      msisdn: nationalNumber(submission),
      ...(version !== 'v1' && { currency }),
      ...(version === 'v3' && { wallet_type: 'NORMAL' }),
    },
    reference: referenceOf(submission),
    pin,
    transaction: { amount: jsonAmount(submission.amountMinor), id: airtelId(submission), ...(version !== 'v1' && { type: 'B2C' }) },
  }
}

/** Letters and digits only, as Airtel requires. */
function referenceOf({ reference }: Submission): string {
  return reference.replaceAll('-', '')
}

async function queryStatus({ context, settings, client }: Airtel, query: StatusEnquiry): Promise<QueryOutcome> {
  const id = airtelId(query)
  const disbursements =
    settings.apiVersion === 'v1' && !settings.signsMessages ? `v1/disbursements/${id}` : `v2/disbursements/${id}?transactionType=B2C`
  const path = query.type === 'COLLECT' ? `/standard/v1/payments/${id}` : `/standard/${disbursements}`
  return queryOutcomeOf(await client.call({ method: 'GET', path, headers: {}, timeoutMs: context.queryTimeoutMs }), id)
}

/** Version 2 has a balance for each direction, version 1 has one. */
async function readBalance(airtel: Airtel): Promise<BalanceOutcome> {
  const { context, settings } = airtel
  const { currency } = OPERATORS[context.operator].country
  const isOneAccount = settings.apiVersion === 'v1'
  const collect = await readOneBalance(airtel, isOneAccount ? '/standard/v1/users/balance' : '/standard/v2/users/balance?type=COLL')
  if (collect.minor === undefined) return unknownOutcome(collect.outcome)
  const deposit = isOneAccount ? collect : await readOneBalance(airtel, '/standard/v2/users/balance?type=DISB')
  if (deposit.minor === undefined) return unknownOutcome(deposit.outcome)
  const exchange = exchangeOf(deposit.outcome)
  return { kind: 'balance', collectMinor: collect.minor, depositMinor: deposit.minor, isOneAccount, currency, exchange }
}

async function readOneBalance({ context, client }: Airtel, path: string) {
  const outcome = await client.call({ method: 'GET', path, headers: {}, timeoutMs: context.queryTimeoutMs })
  const body = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, balanceSchema) : undefined
  return { outcome, minor: body && balanceMinorOf(String(body.data.balance)) }
}

async function checkAccount({ context, client }: Airtel, phoneNumber: string): Promise<AccountOutcome> {
  const msisdn = nationalNumber({ operator: context.operator, phoneNumber })
  const path = `/standard/v1/users/${encodeURIComponent(msisdn)}`
  const outcome = await client.call({ method: 'GET', path, headers: {}, timeoutMs: context.queryTimeoutMs })
  const user = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, userSchema) : undefined
  const exchange = exchangeOf(outcome)
  if (user?.status.response_code === 'DP02200000002') return { kind: 'not_registered', exchange }
  if (user?.status.response_code !== 'DP02200000001') return unknownOutcome(outcome)
  const { is_barred, first_name, last_name, full_name, msisdn: reported } = user.data ?? {}
  if (reported && !String(reported).endsWith(msisdn)) return unknownOutcome(outcome)
  if (is_barred) return { kind: 'barred', exchange }
  const holderName = first_name || last_name ? maskHolderName(first_name, last_name) : maskHolderName(full_name)
  return { kind: 'active', holderName, exchange }
}

/** The Airtel Africa Open API (README.md). */
export const AIRTEL_PROTOCOL = defineProtocol({
  name: 'airtel',
  operators: ['UGAIRTEL'],
  schema: airtelSettingsSchema,
  secretFields: ['clientId', 'clientSecret', 'pin', 'callbackKey'],
  directionsOf: ({ pin }) => (pin === undefined ? ['COLLECT'] : ['COLLECT', 'DEPOSIT']),
  environmentOf: ({ environment }) => environment,
  connect: createAirtelConnector,
})

/** `result_code` of a number that does not have nine digits, beside the response code of any bad field. */
const INVALID_MSISDN = '521002'
const BAD_FIELD = 'DP00900001013'

/** The outcome of the answer to a payment or a disbursement. Refusals come with HTTP 200, and were seen with HTTP 400. */
function submitOutcomeOf(outcome: CallOutcome, id: string, type: TransactionType): SubmitOutcome {
  const transfer = transferIn(outcome, [200, 400])
  if (!transfer) return outcomeOfProblem(outcome, type)
  const exchange = exchangeOf(outcome)
  const { transaction } = transfer.data ?? {}
  if (transaction?.id && transaction.id !== id) return unknownOutcome(outcome)
  if (transaction?.id === id && transaction.status === 'TS') return { kind: 'succeeded', ...identifiersOf(transfer), exchange }
  if (transaction?.status === 'TA') return unknownOutcome(outcome)
  const code = codeOf(transfer)
  if (code !== undefined && UNDER_WAY.has(code)) return { kind: 'accepted', exchange }
  const { message, success } = transfer.status
  const isRefused = success !== true || transaction?.status === 'TF'
  if (!isRefused) return isListed(code) ? unknownOutcome(outcome) : { kind: 'accepted', exchange }
  const isUndecided = code === BAD_FIELD || !isListed(code)
  if (isUndecided && isAboutOurPin(message, type)) return faultOutcome(`Airtel refuses our PIN or key: ${message}`, outcome)
  const result = outcomeOfCode(AIRTEL_ANSWERS, code, outcome)
  return result.kind === 'failed' ? failure(transfer, exchange) : result
}

function outcomeOfProblem(outcome: CallOutcome, type: TransactionType): SubmitOutcome {
  const { status_code: code, status_message: message } = readAnswer(outcome, problemSchema) ?? {}
  if (isAboutOurPin(message, type)) return faultOutcome(`Airtel refuses our PIN or key: ${message}`, outcome)
  return outcomeOfCode(AIRTEL_ANSWERS, code, outcome)
}

/** The outcome of the answer to a status enquiry: the status of the transaction decides, its code only says why. */
function queryOutcomeOf(outcome: CallOutcome, id: string): QueryOutcome {
  const transfer = transferIn(outcome, [200])
  if (!transfer) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  const { transaction } = transfer.data ?? {}
  const code = codeOf(transfer)
  if (!transaction?.id && code !== undefined && UNKNOWN_ID.has(code)) return { kind: 'not_found', exchange }
  if (transaction?.id !== id || !transaction.status) return unknownOutcome(outcome)
  switch (transaction.status) {
    case 'TS':
      return { kind: 'succeeded', ...identifiersOf(transfer), exchange }
    case 'TF':
      return failure(transfer, exchange)
    case 'TE':
      return { kind: 'failed', reason: FAILURE_MESSAGES.operatorTimeout, operatorCode: code ?? 'TE', exchange }
    default:
      // TIP, and TA: Airtel has it and does not know yet.
      return { kind: 'pending', exchange }
  }
}

function transferIn(outcome: CallOutcome, statuses: readonly number[]): AirtelTransfer | undefined {
  return outcome.kind === 'answered' && statuses.includes(outcome.httpStatus) ? readAnswer(outcome, transferSchema) : undefined
}

function failure(transfer: AirtelTransfer, exchange: Exchange): FinalOutcome {
  const code = codeOf(transfer)
  const isInvalidMsisdn = code === BAD_FIELD && transfer.status.result_code === INVALID_MSISDN
  const reason = isInvalidMsisdn ? FAILURE_MESSAGES.invalidNumber : failureReason(AIRTEL_ANSWERS, code)
  return { kind: 'failed', reason, operatorCode: code, ...identifiersOf(transfer), exchange }
}

/** Airtel has no code of its own for it: `Incorrect Encrypted Pin`. Of a payment the PIN is the customer's. */
function isAboutOurPin(message: string | null | undefined, type: TransactionType): boolean {
  return type === 'DEPOSIT' && /\bpin\b|\bkey\b|encrypt|decrypt/i.test(message ?? '')
}

function isListed(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(AIRTEL_ANSWERS, code)
}

/** `response_code` decides: it came together with a `result_code` of another meaning. */
function codeOf({ status: { response_code, result_code } }: AirtelTransfer): string | undefined {
  return response_code || result_code || undefined
}

/** Disbursements have two: `reference_id` is in Airtel's statements, `airtel_money_id` in its support and its callbacks. */
function identifiersOf({ data }: AirtelTransfer): OperatorIdentifiers {
  const { reference_id, airtel_money_id } = data?.transaction ?? {}
  const [reference = airtel_money_id, other] = [reference_id, airtel_money_id]
  return {
    ...(reference !== undefined && { operatorReference: reference }),
    ...(other !== undefined && other !== reference && { operatorReferenceOther: other }),
  }
}

const CLAIMS: Readonly<Record<string, 'succeeded' | 'failed'>> = { TS: 'succeeded', TF: 'failed' }

/**
 * Reads a callback. With callback authentication `hash` is the HMAC of the transaction in it, as compact JSON; the fields that are used
 * are read from what was signed. Without a key it is a hint.
 */
function parseAirtelCallback(callbackKey: string | undefined, body: Buffer): CallbackOutcome {
  const callback = readAnswer({ kind: 'answered', httpStatus: 200, body: body.toString('utf8') }, callbackSchema)
  if (callbackKey !== undefined && !isSigned(callbackKey, callback?.transaction, callback?.hash)) return { kind: 'unverified' }
  const transaction = callbackTransactionSchema.safeParse(callback?.transaction).data
  const ids = transaction && idsIn(transaction.id)
  if (!ids) return { kind: 'malformed', detail: 'The body names no transaction of ours' }
  const claim = CLAIMS[transaction.status_code] ?? 'pending'
  return { kind: 'callback', ...ids, claim, isVerified: callbackKey !== undefined }
}

function isSigned(key: string, transaction: object | undefined, hash: string | undefined): boolean {
  if (!transaction || hash === undefined) return false
  const expected = createHmac('sha256', key).update(JSON.stringify(transaction)).digest()
  const given = Buffer.from(hash, 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
