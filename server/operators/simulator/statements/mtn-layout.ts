import { formatMinor } from '#lib/money/money.ts'
import type { Layout, Printed } from './layout.ts'
import type { StatementLine } from './statement-lines.ts'

/** Each is followed by a `Currency` of its own, so that seventeen headings are the same. */
const WITH_CURRENCY = [
  'From / Fee',
  'From / External fee',
  'To / Fee',
  'To / External fee',
  'From / Refunded fee',
  'To / Refunded fee',
  'From / Taxes',
  'To / Taxes',
  'From / Refunded taxes',
  'To / Refunded taxes',
  'Discount',
  'From / Promotion',
  'To / Promotion',
  'Coupon',
  'Amount',
  'Balance',
  'External amount',
]

/** The 54 columns of Cameroon, or the 56 of other countries, which name both accounts too. */
export function mtnLayout(columnCount: 54 | 56): Layout {
  const hasAccounts = columnCount === 56
  return {
    name: 'mtn',
    ending: 'csv',
    sheet: (printed) => ({
      firstHeading: 0,
      rows: [headings(hasAccounts), ...printed.lines.map((line) => rowOf(printed, line, hasAccounts))],
    }),
  }
}

function headings(hasAccounts: boolean): string[] {
  const ends = (end: 'From' | 'To') => [end, ...(hasAccounts ? [`${end} account`] : []), `${end} name`, `${end} handler name`]
  return [
    ...['Id', 'External id', 'Date', 'Status', 'Type', 'Provider category'],
    ...[...ends('From'), ...ends('To'), 'To message'],
    ...['Initiated by', 'Initiated by', 'On behalf of', 'On behalf of', 'Approved by'],
    ...WITH_CURRENCY.flatMap((name) => [name, 'Currency']),
    ...['External FX rate', 'External service provider'],
  ]
}

/** Charges have no type of their own in what MTN prints: they are transfers to MTN. */
function typeOf({ kind, context, netMinor, grossMinor }: StatementLine): string {
  if (kind === 'reversal') return 'Reversal'
  if (kind === 'funding' || (kind === 'payment' && context === '')) return 'Cash in'
  if (kind !== 'payment') return { fee: 'Fee', tax: 'Tax', commission: 'Commission', own_transfer: 'Transfer', other: 'Adjustment' }[kind]
  return (netMinor === 0n ? grossMinor : netMinor) > 0n ? 'Debit' : 'Transfer'
}

function rowOf({ walletNumber, currency, time }: Printed, line: StatementLine, hasAccounts: boolean): string[] {
  const { date, clock } = time(line.atMs)
  const isIn = line.grossMinor > 0n
  const customer = line.phoneNumber === '' ? '' : `FRI:${line.phoneNumber}/MSISDN`
  const wallet = `FRI:${walletNumber}/MSISDN`
  const end = (party: string) => [party, ...(hasAccounts ? [party === wallet ? walletNumber : ''] : []), '', '']
  const fee = line.feeMinor === 0n ? '' : formatMinor(line.feeMinor)
  const amounts = WITH_CURRENCY.flatMap((name) => {
    const text = name === 'Amount' ? formatMinor(line.grossMinor) : name === (isIn ? 'To / Fee' : 'From / Fee') ? fee : ''
    return [text, text === '' ? '' : currency]
  })
  return [
    ...[line.id, line.kind === 'reversal' ? '' : line.context, `${date} ${clock}`],
    ...[line.status === 'SUCCESS' ? 'Successful' : 'Failed', typeOf(line), ''],
    ...(isIn ? [...end(customer), ...end(wallet)] : [...end(wallet), ...end(customer)]),
    ...[line.status === 'FAILED' ? line.message : '', '', '', '', '', ''],
    ...amounts,
    ...['', ''],
  ]
}
