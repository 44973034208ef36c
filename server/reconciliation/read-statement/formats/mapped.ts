import { createHash } from 'node:crypto'
import { COLUMN_ROLES, type ColumnMapping } from '#lib/reconciliation/statement-columns.ts'
import { foldText } from '#lib/text/clean-text.ts'
import { BadRow, readOurId, readPhone } from '../cells/cells.ts'
import type { StatementRow } from '../cells/statement-row.ts'
import type { Columns } from '../header.ts'
import type { RawLine, RowContext, StatementFormat } from './format.ts'
import { demandCurrency, hasMoved, kindOf } from './words.ts'

/** A header whose columns two people have said. */
export type MappedHeader = { signature: string; mapping: ColumnMapping }

/** The identity of a header: its names in their order, whatever their case, accents and spaces. */
export function signatureOf(header: readonly string[]): string {
  const names = header.map(foldText)
  const length = names.findLastIndex((name) => name !== '') + 1
  return createHash('sha256').update(names.slice(0, length).join('\u001f')).digest('hex')
}

/** The places of the columns, by what they are. */
export function mappedColumns({ columns }: ColumnMapping): Columns {
  return new Map(COLUMN_ROLES.flatMap((role) => (columns[role] === undefined ? [] : [[role, columns[role]] as const])))
}

/** A format that is read as people have said. */
export function mappedFormat(mapping: ColumnMapping): StatementFormat {
  return {
    id: 'mapped',
    operators: [],
    headers: [],
    headerRows: 1,
    hasSections: false,
    balancesChain: false,
    read: (row, context) => readMapped(row, context, mapping),
  }
}

function readMapped(row: StatementRow, { dialCode, currency }: RowContext, mapping: ColumnMapping): RawLine {
  const { columns, zone, amountIs } = mapping
  const status = row.text('status')
  const isMoved = columns.status === undefined || isPaid(status, mapping)
  const amount = columns.amount === undefined ? row.size('credit') - row.size('debit') : row.amount('amount')
  if (isMoved && columns.amount === undefined && (row.size('credit') === 0n) === (row.size('debit') === 0n)) throw new BadRow('direction')
  if (isMoved && amount === null) throw new BadRow('amount')
  demandCurrency(row.text('currency'), currency)
  const type = row.text('type')
  const kind = kindOf(type)
  const [fee, tax] = kind === 'payment' ? [row.size('fee'), row.size('tax')] : [0n, 0n]
  const printed = columns.clock === undefined ? row.time('time') : row.time(['time', 'clock'])
  return {
    time: zone === 'utc' && printed.offsetMinutes === null ? { ...printed, offsetMinutes: 0 } : printed,
    kind: isMoved ? kind : 'failed',
    grossMinor: (amount ?? 0n) + (amountIs === 'net' ? fee + tax : 0n),
    feeMinor: fee,
    taxMinor: tax,
    balanceMinor: row.amount('balance'),
    operatorId: row.text('operatorId') || null,
    ...readOurId(row.text('ourId')),
    phone: readPhone(/\d[\d ]{6,}\d/.exec(row.text('phone'))?.[0] ?? '', dialCode),
    type,
    status,
    ownAccount: null,
  }
}

/** Whether money moved. The words that people have said come before the usual ones. */
function isPaid(printed: string, { paidWords, failedWords }: ColumnMapping): boolean {
  const status = printed.trim().toLowerCase()
  if (paidWords.includes(status)) return true
  if (failedWords.includes(status)) return false
  return hasMoved(printed)
}
