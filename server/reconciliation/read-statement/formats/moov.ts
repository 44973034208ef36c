import { BadRow, readPhone } from '../cells/cells.ts'
import type { StatementFormat } from './format.ts'
import { demandCurrency, hasMoved, kindOf } from './words.ts'

/**
 * The report of Moov: five banner rows, a tab before each time, newest rows first. It names no id of ours. `Expired` rows have amounts;
 * `Withdrawn` is printed with and without a minus.
 */
export const MOOV: StatementFormat = {
  id: 'moov',
  operators: ['MLMOOV', 'BJMOOV'],
  headers: [
    [
      'Receipt No.',
      'Completion Time',
      'Initiation Time',
      'Details',
      'Transaction Status',
      'Currency',
      'Paid In',
      'Withdrawn',
      'Balance',
      'Reason Type',
      'Opposite Party',
      'Linked Transaction ID',
      'Remark?',
    ],
  ],
  headerRows: 1,
  hasSections: false,
  balancesChain: false,
  read(row, { dialCode, currency }) {
    const status = row.text('Transaction Status')
    const isMoved = hasMoved(status)
    row.demandWhole('Paid In', 'Withdrawn')
    const [paidIn, withdrawn] = [row.size('Paid In'), row.size('Withdrawn')]
    if (isMoved && (paidIn === 0n) === (withdrawn === 0n)) throw new BadRow('direction')
    demandCurrency(row.text('Currency'), currency)
    const type = row.text('Reason Type') || row.text('Details')
    const party = /\d[\d ]{6,}\d/.exec(row.text('Opposite Party')) ?? /\d[\d ]{6,}\d/.exec(row.text('Details'))
    return {
      time: row.time('Completion Time', 'Initiation Time'),
      kind: isMoved ? kindOf(type) : 'failed',
      grossMinor: paidIn - withdrawn,
      feeMinor: 0n,
      taxMinor: 0n,
      balanceMinor: row.amount('Balance'),
      operatorId: row.text('Receipt No.') || null,
      ourId: null,
      ourApplicationId: null,
      phone: readPhone(party?.[0] ?? '', dialCode),
      type,
      status,
      ownAccount: null,
    }
  },
}
