import type { BookEntry, TransferOrder } from '#server/operators/simulator/books.ts'
import { digitsOf } from '#server/operators/simulator/reference-digits.ts'
import type { MtnSimulatorProduct } from './credentials.ts'

/** What each target environment belongs to. MTN's own sandbox takes nothing but euros. */
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
  for (const text of [payerMessage, payeeNote]) if (typeof text !== 'string' || text.length > 160 || /['&]/.test(text)) return 'malformed'
  const direction = product === 'collection' ? 'COLLECT' : 'DEPOSIT'
  return { direction, amount, currency, phoneNumber: partyId, customerName: '', context: externalId }
}

/** The transfer as a status query returns it. The reference is not repeated. */
export function transferOf(entry: BookEntry): Record<string, unknown> {
  const party = { partyIdType: 'MSISDN', partyId: entry.phoneNumber }
  return {
    // MTN drops zeros at the end of decimals.
    amount: entry.amount.replace(/\.(?:0+$|(\d*[1-9])0+$)/, (_, kept?: string) => (kept ? `.${kept}` : '')),
    currency: entry.currency,
    externalId: entry.context,
    ...(entry.direction === 'COLLECT' ? { payer: party } : { payee: party }),
    payerMessage: '',
    payeeNote: '',
    status: { PENDING: 'PENDING', SUCCESS: 'SUCCESSFUL', FAILED: 'FAILED' }[entry.status],
    ...(entry.status === 'SUCCESS' && { financialTransactionId: digitsOf(entry.reference, 12) }),
    ...(entry.status === 'FAILED' && { reason: REASONS[entry.message ?? '']?.[entry.direction] ?? 'INTERNAL_PROCESSING_ERROR' }),
  }
}
