import { BadRow, readOurId, readPhone } from '../cells/cells.ts'
import type { StatementRow } from '../cells/statement-row.ts'
import type { RawLine, RowContext, StatementFormat } from './format.ts'
import { demandCurrency, hasMoved, kindOf } from './words.ts'

const PARTIES = [
  'Id',
  'External id',
  'Date',
  'Status',
  'Type',
  'Provider category',
  'From',
  'From account?',
  'From name',
  'From handler name',
]
const RECEIVER = ['To', 'To account?', 'To name', 'To handler name', 'To message']
const PEOPLE = ['Initiated by', 'Initiated by', 'On behalf of', 'On behalf of', 'Approved by']
const withCurrency = (names: readonly string[]) => names.flatMap((name) => [name, 'Currency'])
const FEES = ['From / Fee', 'From / External fee', 'To / Fee', 'To / External fee']
const TAXES = ['Refunded fee', 'Taxes', 'Refunded taxes']
const REST = ['Discount', 'From / Promotion', 'To / Promotion', 'Coupon', 'Amount', 'Balance', 'External amount']
const END = ['External FX rate', 'External service provider']

/** Some installations print both sides of each tax together, others all of the sender first. */
const TAX_ORDERS = [
  TAXES.flatMap((name) => [`From / ${name}`, `To / ${name}`]),
  ['From', 'To'].flatMap((side) => TAXES.map((name) => `${side} / ${name}`)),
]

/** A party of a transfer: `FRI:237677000001/MSISDN` is a phone, other endings are accounts of organisations. */
const PARTY = /^(?:FRI:)?([^/]+?)(?:\/(\w+))?$/i

/**
 * The report of MTN MoMo: 54 columns, or 56 with accounts. Names repeat, so columns are known by their place. The amount is gross, money that
 * leaves is negative, and the fee of our side is beside it. Times have no zone. A reversal names neither our id nor its original.
 */
export const MTN: StatementFormat = {
  id: 'mtn',
  operators: ['MOMOCM', 'BJMTN', 'UGMTN'],
  headers: TAX_ORDERS.map((taxes) => [...PARTIES, ...RECEIVER, ...PEOPLE, ...withCurrency([...FEES, ...taxes, ...REST]), ...END]),
  headerRows: 1,
  hasSections: false,
  balancesChain: false,
  read(row, context) {
    row.demandWhole('Amount')
    const amount = row.amount('Amount')
    const status = row.text('Status')
    const isMoved = hasMoved(status)
    if (amount === null && isMoved) throw new BadRow('amount')
    const grossMinor = amount ?? 0n
    demandCurrency(row.textBehind('Amount'), context.currency)
    const isIn = grossMinor >= 0n
    const [own, other] = isIn ? (['To', 'From'] as const) : (['From', 'To'] as const)
    const party = PARTY.exec(row.text(other))
    return {
      time: row.time('Date'),
      kind: isMoved ? kindOfTransfer(row, party, context) : 'failed',
      grossMinor,
      feeMinor: row.size(`${own} / Fee`) - row.size(`${own} / Refunded fee`),
      taxMinor: row.size(`${own} / Taxes`) - row.size(`${own} / Refunded taxes`),
      balanceMinor: row.amount('Balance'),
      operatorId: row.text('Id') || null,
      ...readOurId(row.text('External id')),
      phone: readPhone(party?.[1] ?? '', context.dialCode),
      type: row.text('Type'),
      status,
      ownAccount: PARTY.exec(row.text(own))?.[1] ?? null,
    }
  },
}

/** A transfer between us and nobody, an account that is no phone, or one that is ours, is an own transfer. */
function kindOfTransfer(row: StatementRow, party: RegExpExecArray | null, { ownNumbers }: RowContext): RawLine['kind'] {
  const kind = kindOf(row.text('Type'))
  if (kind !== 'payment') return kind
  if (!party) return 'transfer'
  const isAccount = party[2] !== undefined && party[2].toUpperCase() !== 'MSISDN'
  return isAccount || ownNumbers.has(party[1] ?? '') ? 'transfer' : 'payment'
}
