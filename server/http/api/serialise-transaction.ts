import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { API_TEXT_NAMES, type EnteredTexts, OTHER_TEXT_NAMES, PAYMENT_TEXTS, type PaymentTexts } from '#lib/payments/payment-fields.ts'
import type { KeyedRequest, TransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import type { Page } from '#server/reports/partner-lists/list-for-partner-store.ts'
import type { IntakeOutcome } from '#server/transactions/intake.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'

type Accepted = Exclude<IntakeOutcome, { kind: 'conflict' }>

// JSON text is built by hand, because amounts are exact decimals that no float can hold, and only free text needs escaping.

const REQUEST_TEXTS = API_TEXT_NAMES.map((name) => ({ name, key: `,"${name}":` }))
const RECORD_TEXTS = API_TEXT_NAMES.map((name) => ({ name, key: `,"${PAYMENT_TEXTS[name].recordName}":` }))

/** Those that only version 2 has, at the end of its answers. */
const LATER_TEXTS = OTHER_TEXT_NAMES.map((name) => ({ name, key: `,"${name}":` }))

function textsJson(fields: readonly { name: keyof EnteredTexts; key: string }[], texts: EnteredTexts): string {
  let json = ''
  for (const { name, key } of fields) json += key + JSON.stringify(texts[name])
  return json
}

/** Returns the initiation response of a stored transaction. */
export function initiationJson(request: TransactionRequest, outcome: Accepted): string {
  return (
    `{"transactionId":"${outcome.transactionId}","externalId":"${request.externalId}","transferMethod":"${request.transferMethod}"` +
    `${textsJson(REQUEST_TEXTS, request)},"customerPhone":"${request.phoneNumber}"` +
    `,"payToken":${JSON.stringify(outcome.payToken)},"amount":${formatMinor(outcome.amountMinor)}` +
    `,"feesSystem":${formatMinor(outcome.feeSystemMinor)},"feesApp":${formatMinor(outcome.feeAppMinor)}` +
    `,"transactionStatus":"${outcome.status}"}`
  )
}

/** The same in version 2. */
export function keyedInitiationJson(request: KeyedRequest, outcome: Accepted): string {
  return withLaterTexts(initiationJson(request, outcome), request)
}

function withLaterTexts(json: string, texts: PaymentTexts): string {
  return `${json.slice(0, -1)}${textsJson(LATER_TEXTS, texts)}}`
}

/** Returns the transaction record with its payToken. */
export function recordJson(transaction: Transaction): string {
  return `{${recordFields(transaction)},"payToken":${JSON.stringify(transaction.payToken)}}`
}

/** The same in version 2. */
export function laterRecordJson(transaction: Transaction): string {
  return withLaterTexts(recordJson(transaction), transaction)
}

/** Returns a page of records, without payToken. `number` counts from 0. */
export function pageJson(page: Page<Transaction>): string {
  const size = BigInt(page.size)
  const content = page.rows.map((transaction) => `{${recordFields(transaction)}}`).join(',')
  return (
    `{"content":[${content}],"totalElements":${page.total},"totalPages":${(page.total + size - 1n) / size}` +
    `,"size":${page.size},"number":${page.page}}`
  )
}

function recordFields(transaction: Transaction): string {
  return (
    `"id":"${transaction.transactionId}","externalId":"${transaction.externalId}","amount":${formatMinor(transaction.amountMinor)}` +
    `,"feesSystem":${formatMinor(transaction.feeSystemMinor)},"feesApp":${formatMinor(transaction.feeAppMinor)}` +
    `,"phoneReceiver":${JSON.stringify(transaction.phoneNumber)}${textsJson(RECORD_TEXTS, transaction)}` +
    `,"status":"${transaction.status}","transferMethod":"${transaction.operator}","transactionType":"${transaction.type}"` +
    `,"countryName":"${OPERATORS[transaction.operator].country.name}"`
  )
}
