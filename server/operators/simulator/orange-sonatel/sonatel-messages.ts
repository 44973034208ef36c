import { createHash } from 'node:crypto'
import type { BookEntry, TransferOrder } from '#server/operators/simulator/books.ts'
import { digitsOf } from '../http.ts'

type Fields = Record<string, unknown>

/** A refusal: the HTTP status, the code, and what it says. */
export type Problem = { status: number; code: string; detail: string }

export const PROBLEMS = {
  noAccount: { status: 400, code: '2000', detail: 'Customer account does not exist' },
  invalidMsisdn: { status: 400, code: '2001', detail: 'The MSISDN is invalid' },
  customerBalance: { status: 400, code: '2020', detail: 'Balance insufficient' },
  partnerBalance: { status: 400, code: '2021', detail: 'Partner balance insufficient' },
  partner: { status: 403, code: '2042', detail: 'Partner is not authorised' },
  // Sonatel publishes no code of a refused one-time code.
  wrongOtp: { status: 400, code: '2050', detail: 'The one-time code is invalid' },
  keyRevoked: { status: 400, code: '4003', detail: 'Public key revoked' },
  expired: { status: 400, code: '4004', detail: 'QR code expired' },
  malformed: { status: 400, code: '4099', detail: 'Malformed request' },
} as const satisfies Record<string, Problem>

/** How an order is refused when it is made, by the result of the simulator's table. The other results are in the transaction's status. */
export function refusalFor(message: string, direction: TransferOrder['direction']): Problem | undefined {
  if (message === 'Solde insuffisant') return direction === 'COLLECT' ? PROBLEMS.customerBalance : PROBLEMS.partnerBalance
  if (message === 'Num\u00e9ro invalide') return PROBLEMS.invalidMsisdn
  if (message === 'Compte non inscrit') return PROBLEMS.noAccount
  // No code says that an operator took too long. The nearest one is that of a code that was not used in time.
  return message === 'Timeout op\u00e9rateur' ? PROBLEMS.expired : undefined
}

/** The fields that payments and cash-ins share, or undefined if one of them is malformed. */
export function readOrder(body: Fields, direction: TransferOrder['direction']): TransferOrder | undefined {
  const [customer, amount, metadata] = [fieldsOf(body['customer']), fieldsOf(body['amount']), fieldsOf(body['metadata'])]
  const { reference } = body
  const { value, unit } = amount
  if (typeof reference !== 'string' || reference === '' || reference.length > 100) return undefined
  if (typeof value !== 'number' || !(value > 0) || unit !== 'XOF') return undefined
  if (customer['idType'] !== 'MSISDN' || typeof customer['id'] !== 'string' || !/^\d{9}$/.test(customer['id'])) return undefined
  return {
    reference,
    direction,
    amount: String(value),
    currency: 'XOF',
    phoneNumber: customer['id'],
    customerName: '',
    context: typeof metadata['transaction'] === 'string' ? metadata['transaction'] : reference,
    details: { metadata: JSON.stringify(metadata) },
  }
}

/** A transaction as a search returns it and as callbacks contain it. */
export function transactionOf(entry: BookEntry, account: { merchantCode: string; channelMsisdn: string }): Fields {
  const isCashIn = entry.direction === 'DEPOSIT'
  return {
    transactionId: transactionIdOf(entry),
    status: statusOf(entry),
    ...reasonOf(entry),
    amount: { value: Number(entry.amount), unit: 'XOF' },
    customer: { idType: 'MSISDN', id: entry.phoneNumber },
    partner: isCashIn ? { idType: 'MSISDN', id: account.channelMsisdn } : { idType: 'CODE', id: account.merchantCode },
    reference: sentReferenceOf(entry),
    metadata: JSON.parse(entry.details?.['metadata'] ?? '{}'),
    type: isCashIn ? 'CASHIN' : 'MERCHANT_PAYMENT',
    channel: 'API',
  }
}

/** The reference of the sender, which several transactions may have. */
export function sentReferenceOf({ details, reference }: BookEntry): string {
  return details?.['reference'] ?? reference
}

/** Why a payment by QR code failed; one with a code of the customer's is refused when it is made. */
function reasonOf({ status, message = '', direction }: BookEntry): { code?: string } {
  const code = status === 'FAILED' ? refusalFor(message, direction)?.code : undefined
  return code === undefined ? {} : { code }
}

export function statusOf({ status, message }: BookEntry): string {
  if (status !== 'FAILED') return status
  return message?.startsWith('Transaction annul') ? 'CANCELLED' : 'FAILED'
}

/** Always the same for one reference. */
export function transactionIdOf({ reference, direction }: Pick<BookEntry, 'reference' | 'direction'>): string {
  const digits = digitsOf(reference, 14)
  return `${direction === 'DEPOSIT' ? 'CI' : 'MP'}260301.${digits.slice(0, 4)}.${hexOf(reference)}${digits.slice(4)}`
}

function hexOf(reference: string): string {
  return createHash('sha256').update(reference).digest('hex').slice(0, 2).toUpperCase()
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
