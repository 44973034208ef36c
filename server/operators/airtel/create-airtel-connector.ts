import { OPERATORS } from '#lib/operators.ts'
import type {
  AccountOutcome,
  BalanceOutcome,
  Connector,
  QueryOutcome,
  StatusQuery,
  Submission,
  SubmitOutcome,
} from '#server/operators/connector.ts'
import { exchangeOf, type OperatorRequest } from '#server/operators/operator-call.ts'
import { notSentOrUnknown, readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { notSent } from '#server/operators/tokens/token-client.ts'
import { balanceMinorOf, jsonAmount, nationalNumber, refuseDecimals } from '#server/operators/wire-formats.ts'
import { type AirtelClient, createAirtelClient } from './airtel-client.ts'
import { airtelId } from './airtel-id.ts'
import { balanceSchema, userSchema } from './messages.ts'
import { parseAirtelCallback } from './parse-callback.ts'
import { queryOutcomeOf, submitOutcomeOf } from './read-transfer.ts'
import { encryptForAirtel, signatureHeaders } from './sealing.ts'
import type { AirtelSettings } from './settings.ts'

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

async function queryStatus({ context, settings, client }: Airtel, query: StatusQuery): Promise<QueryOutcome> {
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
  if (user?.status.response_code === 'DP02200000002') return { kind: 'inactive', exchange }
  if (user?.status.response_code !== 'DP02200000001') return unknownOutcome(outcome)
  return { kind: user.data?.is_barred ? 'inactive' : 'active', exchange }
}
