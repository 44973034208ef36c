import { BadRow, readOurId, readPhone } from '../cells/cells.ts'
import type { StatementFormat } from './format.ts'
import { hasMoved, kindOf } from './words.ts'

/**
 * The report of Orange Burkina Faso. REFERENCE_NUMBER is our transaction; phones have no dial code; the balance after a row less the one
 * before is credit less debit.
 */
export const ORANGE_BF: StatementFormat = {
  id: 'orange-bf',
  operators: ['BFOM'],
  headers: [
    [
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
    ],
  ],
  headerRows: 1,
  hasSections: false,
  balancesChain: true,
  read(row, { dialCode }) {
    const status = row.text('TRANSFER_STATUS')
    const isMoved = hasMoved(status)
    const net = row.size('CREDIT') - row.size('DEBIT')
    const [before, after] = [row.amount('PREVIOUS_BAL'), row.amount('AFTER_BAL')]
    if (isMoved && before !== null && after !== null && after - before !== net) throw new BadRow('sum')
    const kind = kindOf(row.text('STATEMENT'))
    const feeMinor = kind === 'payment' ? feeWithin(row.size('TRANSFER_AMOUNT'), net, row.size('FEES')) : 0n
    return {
      time: row.time('TRANSFER_DATE'),
      kind: isMoved ? kind : 'failed',
      grossMinor: net + feeMinor,
      feeMinor,
      taxMinor: 0n,
      balanceMinor: after,
      operatorId: row.text('TRANSFER_ID') || null,
      ...readOurId(row.text('REFERENCE_NUMBER')),
      phone: readPhone(row.text('MSISDN'), dialCode),
      type: row.text('STATEMENT'),
      status,
      ownAccount: null,
    }
  },
}

/** The fee if it is part of credit or debit; 0 if the operator takes it elsewhere. */
function feeWithin(amount: bigint, net: bigint, fees: bigint): bigint {
  const gross = net < 0n ? -amount : amount
  return amount > 0n && gross - net === fees ? fees : 0n
}
