import { formatMinor } from '#lib/money/money.ts'
import type { Layout, Printed } from './layout.ts'
import type { StatementLine } from './statement-lines.ts'

const COLLECT_HEADINGS = [
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
]

/** Payments of a merchant's customers: English headings, a clock of twelve hours, no balance. Wave prints what did not fail. */
export const WAVE_COLLECTS: Layout = {
  name: 'wave-collects',
  ending: 'csv',
  sheet: (printed) => ({
    firstHeading: 0,
    rows: [
      COLLECT_HEADINGS,
      ...paid(printed).map((line) => {
        const { date, twelveHours } = printed.time(line.atMs)
        const money = [formatMinor(line.netMinor), formatMinor(line.feeMinor), printed.currency]
        return [`${date} ${twelveHours}`, line.id, typeOf(line), ...money, mobileOf(line), line.context, '', '', '']
      }),
    ],
  }),
}

const PAYOUT_HEADINGS = [
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
]

/** Everything else in the wallet: French headings whose accents were encoded twice, ISO times, the balance of the whole wallet. */
export const WAVE_PAYOUTS: Layout = {
  name: 'wave-payouts',
  ending: 'csv',
  sheet: (printed) => ({
    firstHeading: 0,
    rows: [
      PAYOUT_HEADINGS.map((heading) => Buffer.from(heading, 'utf8').toString('latin1')),
      ...paid(printed).map((line) => {
        const { date, clock } = printed.time(line.atMs)
        const money = [formatMinor(line.netMinor), formatMinor(line.feeMinor), formatMinor(line.balanceMinor), printed.currency]
        return [`${date}T${clock}`, line.id, typeOf(line), ...money, '', mobileOf(line), line.context, '', '', '']
      }),
    ],
  }),
}

function paid({ lines }: Printed): StatementLine[] {
  return lines.filter((line) => line.status === 'SUCCESS')
}

function typeOf({ kind, account }: StatementLine): string {
  if (kind === 'payment') return account === 'collect' ? 'api_checkout' : 'api_payout'
  if (kind === 'reversal') return account === 'collect' ? 'api_checkout_refund' : 'api_payout_reversal'
  return kind
}

function mobileOf({ phoneNumber }: StatementLine): string {
  return phoneNumber === '' ? '' : `+${phoneNumber}`
}
