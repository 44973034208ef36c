import { BadRow, readOurId, readPhone } from '../cells/cells.ts'
import type { StatementFormat } from './format.ts'
import { demandCurrency, kindOf } from './words.ts'

const COLLECTS = [
  'timestamp',
  'transaction_id',
  'transaction_type',
  'amount',
  'fee',
  'currency',
  'counterparty_mobile',
  'client_reference',
  'checkout_api_session_id',
  'aggregated_merchant_id',
  'aggregated_merchant_name',
] as const

const PAYOUTS = [
  'Horodatage',
  'Identifiant de transaction',
  'Type de transaction',
  'Montant',
  'Frais',
  'Solde',
  'Devise',
  'Nom de contrepartie',
  'Numéro de téléphone de contrepartie',
  'Référence client',
  'Identifiant de session API',
  'Identifiant marchand agrégé',
  'Nom marchand agrégé',
] as const

/** The list of a day that Wave answers to a program (`../../statements/fetch-statements.ts`). */
const LISTED = [
  'timestamp',
  'transaction_id',
  'transaction_type',
  'is_reversal',
  'amount',
  'fee',
  'balance',
  'currency',
  'counterparty_mobile',
  'client_reference',
] as const

const ENGLISH = {
  time: COLLECTS[0],
  id: COLLECTS[1],
  type: COLLECTS[2],
  amount: COLLECTS[3],
  fee: COLLECTS[4],
  balance: LISTED[6],
  currency: COLLECTS[5],
}
const FRENCH = {
  time: PAYOUTS[0],
  id: PAYOUTS[1],
  type: PAYOUTS[2],
  amount: PAYOUTS[3],
  fee: PAYOUTS[4],
  balance: PAYOUTS[5],
  currency: PAYOUTS[6],
}

/**
 * The two files of Wave (collects, in English with times of twelve hours, and payouts, in French with ISO times and often with a header in
 * broken UTF-8), and the list of a day. The amount is net: a customer who paid 500 with a fee of 5 is 495, a payout of 3,000 with a fee of 8 is -3,008.
 */
export const WAVE: StatementFormat = {
  id: 'wave',
  operators: ['CIWAVE', 'SNWAVE'],
  headers: [COLLECTS, PAYOUTS, LISTED],
  headerRows: 1,
  hasSections: false,
  balancesChain: false,
  read(row, { dialCode, currency }) {
    const isFrench = row.text(PAYOUTS[0]) !== ''
    const names = isFrench ? FRENCH : ENGLISH
    row.demandWhole(names.amount, names.fee)
    const net = row.amount(names.amount)
    if (net === null) throw new BadRow('amount')
    demandCurrency(row.text(names.currency), currency)
    const type = row.text(names.type)
    const kind = row.text(LISTED[3]) === 'true' ? 'reversal' : kindOf(type)
    // The fee that a reversal returns is part of its amount, and the file does not say which part.
    const feeMinor = kind === 'payment' ? row.size(names.fee) : 0n
    return {
      time: row.time(names.time),
      kind,
      grossMinor: net + feeMinor,
      feeMinor,
      taxMinor: 0n,
      balanceMinor: row.amount(names.balance),
      operatorId: row.text(names.id) || null,
      ...readOurId(row.text(isFrench ? PAYOUTS[9] : COLLECTS[7])),
      phone: readPhone(row.text(isFrench ? PAYOUTS[8] : COLLECTS[6]), dialCode),
      type,
      status: '',
      ownAccount: null,
    }
  },
}
