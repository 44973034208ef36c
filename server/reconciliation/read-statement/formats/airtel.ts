import { BadRow, readPhone } from '../cells/cells.ts'
import type { StatementFormat } from './format.ts'
import { hasMoved, kindOf } from './words.ts'

/** The report of Airtel Uganda: compressed CSV with our number above the header. A mark says the direction, and the phone is in the text. */
export const AIRTEL: StatementFormat = {
  id: 'airtel',
  operators: ['UGAIRTEL'],
  headers: [['Transaction ID', 'Transaction Date', 'Description', 'Status', 'Transaction Amount', 'Credit/Debit', 'Fee', 'Balance']],
  headerRows: 1,
  hasSections: false,
  balancesChain: false,
  read(row, { dialCode }) {
    const status = row.text('Status')
    const isMoved = hasMoved(status)
    const amount = row.size('Transaction Amount')
    if (isMoved && amount === 0n) throw new BadRow('amount')
    const mark = /^(c|d)/i.exec(row.text('Credit/Debit'))?.[1]?.toLowerCase()
    if (mark === undefined && isMoved) throw new BadRow('direction')
    const description = row.text('Description')
    const phone = /(?<!\d)(?:256|0)?7\d{8}(?!\d)/.exec(description)?.[0] ?? ''
    const named = kindOf(description)
    // The text of a payment may name its charge; a charge of its own names no customer.
    const kind = named === 'fee' && phone !== '' ? 'payment' : named
    return {
      time: row.time('Transaction Date'),
      kind: isMoved ? kind : 'failed',
      grossMinor: mark === 'd' ? -amount : amount,
      feeMinor: kind === 'payment' ? row.size('Fee') : 0n,
      taxMinor: 0n,
      balanceMinor: row.amount('Balance'),
      operatorId: row.text('Transaction ID') || null,
      ourId: null,
      ourApplicationId: null,
      phone: readPhone(phone, dialCode),
      type: description,
      status,
      ownAccount: null,
    }
  },
}
