import { computeFees } from '#lib/money/fees.ts'
import { formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import { COUNTRIES, type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { API_TEXT_NAMES, type ApiTexts, mapApiTexts, PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { SUCCESS_MESSAGE, type TransactionStatus, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Json } from './operation.ts'

// The values of the examples. One collect and one deposit run through all of them, so that a reader recognises both.

type ExampleRequest = ApiTexts & {
  transferMethod: OperatorCode
  externalId: string
  phoneNumber: string
  amount: number
  webhookUrl: string
  countryName: CountryName
}

export const COLLECT_REQUEST: ExampleRequest = {
  ...mapApiTexts(() => ''),
  transferMethod: 'MOMOCM',
  customerName: 'Clarisse Mbarga',
  externalId: '7f2c1b1e-58a4-4c35-9c0d-0d1a6f0f5b11',
  phoneNumber: '237677209341',
  amount: 5000,
  webhookUrl: 'https://partner.example/hooks/payments',
  countryName: 'CAMEROON',
}

export const DEPOSIT_REQUEST: ExampleRequest = {
  ...mapApiTexts(() => ''),
  transferMethod: 'SNWAVE',
  customerName: 'Aminata Diop',
  externalId: '2b6e8a54-9d37-4f1c-a8b2-6f4f0e9c7d20',
  phoneNumber: '221771234567',
  amount: 12500,
  webhookUrl: 'https://partner.example/hooks/payments',
  countryName: 'SENEGAL',
}

export const SECOND_DEPOSIT_REQUEST: ExampleRequest = {
  ...DEPOSIT_REQUEST,
  customerName: 'Moussa Faye',
  externalId: 'c1d5f7a2-3e4b-4a60-8f19-2d7b9e0c4a38',
  phoneNumber: '221760987654',
  amount: 8000,
}

/** In version 2, where a payment says what it is for. */
export const PURPOSE = 'Invoice 2026-114'

/** The refund of a part of the collect. */
export const REFUND_REQUEST = { externalId: '5c0d8a3e-7b16-4f29-8e4d-1a9b6c3f2d07', amount: 2000 }

export const COLLECT_ID = '019a63b2-7c40-7d1e-9b52-4f6a8c0e1d23'
export const DEPOSIT_ID = '019a63b4-1f08-7a96-8c3d-5e7b9a2f4c60'
export const BATCH_ID = '019a63c1-07d2-7e4b-b6a8-9c1f3d5e7b20'
export const REFUND_ID = '019a63d9-5ae8-7c42-a1f6-3b8d0e2c7f94'
const SECOND_DEPOSIT_ID = '019a63b4-1f09-7b17-9e4a-6c8d0b3f5e71'
export const CHECKER_ID = '019a0f5d-42c7-7e83-a1b9-3d5f7e9c2b46'

/** The instant of the examples. */
const EXAMPLE_TIME = '2026-03-02T09:14:07.512Z'
export const EXAMPLE_CLOCK: Clock = { now: () => new Date(EXAMPLE_TIME) }

type ExampleTransaction = { id: string; request: ExampleRequest; payToken: string }

const COLLECT: ExampleTransaction = { id: COLLECT_ID, request: COLLECT_REQUEST, payToken: 'b0e6f2a4-5d1c-4f83-9a27-3c8d1e7b6f05' }
const DEPOSIT: ExampleTransaction = { id: DEPOSIT_ID, request: DEPOSIT_REQUEST, payToken: '6a9d3c71-2e84-4b5f-8c10-f7e2d5a4b389' }
const SECOND_DEPOSIT: ExampleTransaction = {
  id: SECOND_DEPOSIT_ID,
  request: SECOND_DEPOSIT_REQUEST,
  payToken: 'e4175b8c-90fd-4a36-b2e7-5d8c1f3a6924',
}

/** With the fees of an application with an unchanged schedule. */
function fees({ amount, countryName }: ExampleRequest): { feesSystem: number; feesApp: number } {
  const amountMinor = parseAmountMinor(String(amount))
  if (amountMinor === undefined) throw new Error('The amount of an example is not an amount')
  const { feeSystemMinor, feeAppMinor } = computeFees(amountMinor, COUNTRIES[countryName].currency)
  return { feesSystem: Number(formatMinor(feeSystemMinor)), feesApp: Number(formatMinor(feeAppMinor)) }
}

function initiation({ id, request, payToken }: ExampleTransaction, status: TransactionStatus = 'PENDING'): { [name: string]: Json } {
  const { externalId, transferMethod, phoneNumber, amount } = request
  const echo = { externalId, transferMethod, ...mapApiTexts((name) => request[name]), customerPhone: phoneNumber, payToken, amount }
  return { transactionId: id, ...echo, ...fees(request), transactionStatus: status }
}

function listRecord({ id, request }: ExampleTransaction, type: TransactionType, status: TransactionStatus): { [name: string]: Json } {
  const { externalId, amount, phoneNumber, transferMethod } = request
  const texts = Object.fromEntries(API_TEXT_NAMES.map((name) => [PAYMENT_TEXTS[name].recordName, request[name]]))
  const kind = { transferMethod, transactionType: type, countryName: OPERATORS[transferMethod].country.name }
  return { id, externalId, amount, ...fees(request), phoneReceiver: phoneNumber, ...texts, status, ...kind }
}

export const INITIATED_COLLECT = initiation(COLLECT)
export const INITIATED_DEPOSIT = initiation(DEPOSIT)
export const WAITING_DEPOSIT = initiation(DEPOSIT, 'PENDING_APPROVAL')
export const INITIATED_DEPOSITS: Json = [initiation(DEPOSIT), initiation(SECOND_DEPOSIT)]

/** The record of the deposit, or of the collect, in this status. */
export function exampleRecord(type: TransactionType, status: TransactionStatus): { [name: string]: Json } {
  const transaction = type === 'COLLECT' ? COLLECT : DEPOSIT
  return { ...listRecord(transaction, type, status), payToken: transaction.payToken }
}

/** A page of two transactions, or of one. */
export function examplePage(which: 'both' | 'deposit' | 'collect'): Json {
  const records = [listRecord(DEPOSIT, 'DEPOSIT', 'SUCCESS'), listRecord(COLLECT, 'COLLECT', 'SUCCESS')]
  const content = which === 'both' ? records : which === 'deposit' ? records.slice(0, 1) : records.slice(1)
  return { content, totalElements: content.length, totalPages: 1, size: 20, number: 0 }
}

/** The webhook of the collect. */
export function exampleWebhook(status: 'SUCCESS' | 'FAILED', message: string = SUCCESS_MESSAGE): Json {
  const { externalId, amount, phoneNumber, transferMethod } = COLLECT_REQUEST
  return { externalId, transactionId: COLLECT_ID, status, amount, phoneNumber, transferMethod, message, timestamp: EXAMPLE_TIME }
}
