import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { Layout, Printed } from './layout.ts'
import { type StatementLine, unsigned } from './statement-lines.ts'

const ORANGE_BF_HEADINGS = [
  'TRANSFER_DATE',
  'TRANSFER_STATUS',
  'TRANSFER_ID',
  'ORDER_ID',
  'MSISDN',
  'REFERENCE_NUMBER',
  'STATEMENT',
  'TRANSFER_AMOUNT',
  'CREDIT',
  'DEBIT',
  'FEES',
  'PREVIOUS_BAL',
  'AFTER_BAL',
  'REMARKS',
  'FTXN_ID',
]

/** Numbers without the country code; the balance before and after each line, also of one that failed. */
export const ORANGE_BF_LAYOUT: Layout = {
  name: 'orange-bf',
  ending: 'csv',
  sheet: ({ lines, time }) => ({
    firstHeading: 0,
    rows: [
      ORANGE_BF_HEADINGS,
      ...lines.map((line) => {
        const { dayFirst, clock } = time(line.atMs)
        const { netMinor, balanceMinor } = line
        return [
          ...[`${dayFirst} ${clock}`, line.status === 'SUCCESS' ? 'TS' : 'TF', line.id, line.id, line.phoneNumber.replace(/^226/, '')],
          ...[line.kind === 'payment' ? line.context : '', line.kind.toUpperCase(), unsigned(line.grossMinor)],
          ...[netMinor > 0n ? unsigned(netMinor) : '0', netMinor < 0n ? unsigned(netMinor) : '0', formatMinor(line.feeMinor)],
          ...[formatMinor(balanceMinor - netMinor), formatMinor(balanceMinor), line.message, ''],
        ]
      }),
    ],
  }),
}

/** Five rows of a banner; a tab before each time; payments that expired have their amount in `Paid In`. */
export const MOOV_LAYOUT: Layout = {
  name: 'moov',
  ending: 'csv',
  sheet: ({ lines, walletNumber, currency, from, to, openingMinor, closingMinor, time }) => ({
    firstHeading: 5,
    rows: [
      ['Organization Name', 'Simulated business'],
      ['Short Code', walletNumber],
      ['Time Period', `${from.dayFirst} ${from.clock} - ${to.dayFirst} ${to.clock}`],
      ['Opening Balance', formatMinor(openingMinor), 'Closing Balance', formatMinor(closingMinor)],
      ['Currency', currency],
      [
        ...[
          'Receipt No.',
          'Completion Time',
          'Initiation Time',
          'Details',
          'Transaction Status',
          'Currency',
          'Paid In',
          'Withdrawn',
          'Balance',
        ],
        ...['Reason Type', 'Opposite Party', 'Linked Transaction ID', 'Remark'],
      ],
      ...lines.map((line) => {
        const [completed, initiated] = [time(line.atMs), time(line.initiatedAtMs)]
        const isIn = line.grossMinor > 0n
        const amount = unsigned(line.grossMinor)
        return [
          ...[line.id, `\t${completed.dayFirst} ${completed.clock}`, `\t${initiated.dayFirst} ${initiated.clock}`, detailOf(line)],
          ...[line.status === 'SUCCESS' ? 'Completed' : 'Expired', currency, isIn ? amount : '', isIn ? '' : `-${amount}`],
          ...[formatMinor(line.balanceMinor), detailOf(line), line.phoneNumber, '', line.message],
        ]
      }),
    ],
  }),
}

const AIRTEL_HEADINGS = [
  'Transaction ID',
  'Transaction Date',
  'Description',
  'Status',
  'Transaction Amount',
  'Credit/Debit',
  'Fee',
  'Balance',
]

/** Compressed; a row with the wallet's number before the headings. */
export const AIRTEL_LAYOUT: Layout = {
  name: 'airtel',
  ending: 'csv.gz',
  sheet: (printed) => ({ firstHeading: 1, rows: [['Mobile Number', printed.walletNumber], AIRTEL_HEADINGS, ...airtelRows(printed)] }),
}

/** Of operators about whose statements nothing is public: the shortest rows that any operator prints, without Airtel's first row. */
export const UNKNOWN_LAYOUT: Layout = {
  name: 'statement',
  ending: 'csv',
  sheet: (printed) => ({ firstHeading: 0, rows: [AIRTEL_HEADINGS, ...airtelRows(printed)] }),
}

/** The customer's number is in the description only, without the country code. */
function airtelRows({ operator, lines, time }: Printed): string[][] {
  const { dialCode } = OPERATORS[operator].country
  return lines.map((line) => {
    const { named, twelveHours } = time(line.atMs)
    const isIn = line.grossMinor > 0n
    const customer = line.phoneNumber.startsWith(dialCode) ? line.phoneNumber.slice(dialCode.length) : line.phoneNumber
    const party = customer === '' ? '' : ` ${isIn ? 'from' : 'to'} ${customer}`
    return [
      ...[
        line.id,
        `${named} ${twelveHours}`,
        `${detailOf(line)}${party}`,
        line.status === 'SUCCESS' ? 'Transaction Success' : 'Transaction Failed',
      ],
      ...[unsigned(line.grossMinor), isIn ? 'CR' : 'DR', formatMinor(line.feeMinor), formatMinor(line.balanceMinor)],
    ]
  })
}

function detailOf({ kind, grossMinor }: StatementLine): string {
  if (kind === 'payment') return grossMinor > 0n ? 'Merchant Payment' : 'Disbursement'
  const details = {
    reversal: 'Reversal',
    fee: 'Service Charge',
    tax: 'Tax',
    commission: 'Commission',
    own_transfer: 'Own Transfer',
    funding: 'Deposit of Funds',
    other: 'Adjustment',
  }
  return details[kind]
}
