import { createHash } from 'node:crypto'
import type { BookEntry, TransferOrder } from '../books.ts'
import { digitsOf } from '../http.ts'

/** The operator and currency of each target environment. MTN's own sandbox only accepts euros. */
export const ENVIRONMENTS: Readonly<Record<string, { operator: string; currency: string }>> = {
  mtncameroon: { operator: 'MOMOCM', currency: 'XAF' },
  mtnbenin: { operator: 'BJMTN', currency: 'XOF' },
  mtnuganda: { operator: 'UGMTN', currency: 'UGX' },
  sandbox: { operator: 'sandbox', currency: 'EUR' },
}

/** The code for each result of the simulator's table. */
const REASONS: Readonly<Record<string, { COLLECT: string; DEPOSIT: string }>> = {
  'Solde insuffisant': { COLLECT: 'NOT_ENOUGH_FUNDS', DEPOSIT: 'NOT_ENOUGH_FUNDS' },
  'Transaction annul\u00e9e par le client': { COLLECT: 'APPROVAL_REJECTED', DEPOSIT: 'TRANSACTION_CANCELED' },
  'Timeout op\u00e9rateur': { COLLECT: 'COULD_NOT_PERFORM_TRANSACTION', DEPOSIT: 'EXPIRED' },
  'Compte non inscrit': { COLLECT: 'PAYER_NOT_FOUND', DEPOSIT: 'PAYEE_NOT_FOUND' },
}

export function isUuid4(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text)
}

/** The order in a body; `malformed` as MTN sees it: missing fields, texts that are too long, apostrophes. */
export function readOrder(
  body: Record<string, unknown> | undefined,
  product: MtnSimulatorProduct,
): Omit<TransferOrder, 'reference'> | 'malformed' {
  const { amount, currency, externalId, payerMessage = '', payeeNote = '' } = body ?? {}
  const party = body?.[product === 'collection' ? 'payer' : 'payee']
  const { partyIdType, partyId } = typeof party === 'object' && party !== null ? (party as Record<string, unknown>) : {}
  if (typeof amount !== 'string' || !/^(?=.*[1-9])\d{1,12}(\.\d{1,2})?$/.test(amount)) return 'malformed'
  if (typeof currency !== 'string' || typeof externalId !== 'string') return 'malformed'
  if (partyIdType !== 'MSISDN' || typeof partyId !== 'string' || !/^\d{8,15}$/.test(partyId)) return 'malformed'
  if (!isMessage(payerMessage) || !isMessage(payeeNote)) return 'malformed'
  const direction = product === 'collection' ? 'COLLECT' : 'DEPOSIT'
  const details = { payerMessage, payeeNote }
  return { direction, amount, currency, phoneNumber: partyId, customerName: '', context: externalId, details }
}

/** A refund as its sender requested it; `malformed` as above. */
export type RefundOrder = { amount: string; currency: string; externalId: string; referenceIdToRefund: string; messages: Messages }
type Messages = { payerMessage: string; payeeNote: string }

/** The refund in a body. */
export function readRefund(body: Record<string, unknown> | undefined): RefundOrder | 'malformed' {
  const { amount, currency, externalId, payerMessage = '', payeeNote = '', referenceIdToRefund } = body ?? {}
  if (typeof amount !== 'string' || !/^(?=.*[1-9])\d{1,12}(\.\d{1,2})?$/.test(amount)) return 'malformed'
  if (typeof currency !== 'string' || typeof externalId !== 'string' || typeof referenceIdToRefund !== 'string') return 'malformed'
  if (!isUuid4(referenceIdToRefund) || !isMessage(payerMessage) || !isMessage(payeeNote)) return 'malformed'
  return { amount, currency, externalId, referenceIdToRefund: referenceIdToRefund.toLowerCase(), messages: { payerMessage, payeeNote } }
}

/** The refund as a status enquiry returns it. */
export function refundOf({ amount, currency, externalId, messages }: RefundOrder, payer: string, id: string, isDone: boolean): object {
  return {
    amount: withoutZeros(amount),
    currency,
    externalId,
    payee: { partyIdType: 'MSISDN', partyId: payer },
    ...messages,
    status: isDone ? 'SUCCESSFUL' : 'FAILED',
    ...(isDone ? { financialTransactionId: financialIdOf(id) } : { reason: reasonObjectOf('INTERNAL_PROCESSING_ERROR') }),
  }
}

function isMessage(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 160 && !/['&]/.test(text)
}

/** MTN drops zeros at the end of decimals. */
function withoutZeros(amount: string): string {
  return amount.replace(/\.(?:0+$|(\d*[1-9])0+$)/, (_, kept?: string) => (kept ? `.${kept}` : ''))
}

/** The transfer as a status enquiry returns it. The reference is not repeated. */
export function transferOf(entry: BookEntry): Record<string, unknown> {
  const party = { partyIdType: 'MSISDN', partyId: entry.phoneNumber }
  return {
    amount: withoutZeros(entry.amount),
    currency: entry.currency,
    externalId: entry.context,
    ...(entry.direction === 'COLLECT' ? { payer: party } : { payee: party }),
    payerMessage: entry.details?.['payerMessage'] ?? '',
    payeeNote: entry.details?.['payeeNote'] ?? '',
    status: { PENDING: 'PENDING', SUCCESS: 'SUCCESSFUL', FAILED: 'FAILED' }[entry.status],
    ...(entry.status === 'SUCCESS' && { financialTransactionId: financialIdOf(entry.reference) }),
    ...(entry.status === 'FAILED' && { reason: writtenReasonOf(entry) }),
  }
}

/** MTN's own number of a payment that was executed, or of a refund. */
export function financialIdOf(reference: string): string {
  return digitsOf(reference, 12)
}

/** In callbacks the reason is an object; in replies it is text at some installations of MTN, and an object, as published, at others. */
export function reasonObjectOf(code: string): { code: string; message: string } {
  return { code, message: 'Transaction failed' }
}

export function reasonOf(entry: BookEntry): string {
  return REASONS[entry.message ?? '']?.[entry.direction] ?? 'INTERNAL_PROCESSING_ERROR'
}

/** The digit before the last three chooses, so that a receiver can be tested with both. */
function writtenReasonOf(entry: BookEntry): string | { code: string; message: string } {
  const reason = reasonOf(entry)
  return Number(entry.phoneNumber.at(-4)) % 2 === 0 ? reasonObjectOf(reason) : reason
}

export type MtnSimulatorProduct = 'collection' | 'disbursement'

type MtnAccount = { subscriptionKey: string; apiUser: string; apiKey: string }

/** The account of a product that the simulator knows without provisioning; derived from its secret, so that every start has the same. */
export function mtnAccountOf(secret: string, product: MtnSimulatorProduct): MtnAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} ${product} ${name}`).digest('hex')
  const user = hex('user')
  return {
    subscriptionKey: hex('subscription').slice(0, 32),
    apiUser: `${user.slice(0, 8)}-${user.slice(8, 12)}-4${user.slice(13, 16)}-a${user.slice(17, 20)}-${user.slice(20, 32)}`,
    apiKey: hex('key').slice(0, 32),
  }
}
