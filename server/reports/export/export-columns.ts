import type { Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { Transaction } from '#server/transactions/transaction.ts'

/** What a cell holds decides how each format writes it: text is never taken for a number, a formula or a date. */
export type Cell = { kind: 'text'; text: string } | { kind: 'number'; decimal: string } | { kind: 'instant'; at: Date } | { kind: 'empty' }

type ExportColumn = {
  /** The head in CSV, for programs: the API's own names where it has one. The same in every language. */
  id: string
  /** The head in a workbook, for people. */
  label: (t: Translate) => string
  cell: (row: Transaction) => Cell
  /** Width in a workbook, in characters. */
  width: number
}

const text = (value: string | null): Cell => (value === null ? { kind: 'empty' } : { kind: 'text', text: value })
const number = (amountMinor: bigint): Cell => ({ kind: 'number', decimal: formatMinor(amountMinor) })
const instant = (at: Date | null): Cell => (at === null ? { kind: 'empty' } : { kind: 'instant', at })

/** Every column of an exported list of transactions, in order. Times are UTC. */
export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  { id: 'id', label: (t) => t('transaction.id'), cell: (row) => text(row.transactionId), width: 38 },
  { id: 'externalId', label: (t) => t('transaction.externalId'), cell: (row) => text(row.externalId), width: 38 },
  { id: 'createdAt', label: (t) => t('exports.createdUtc'), cell: (row) => instant(row.createdAt), width: 20 },
  { id: 'finalAt', label: (t) => t('exports.finalUtc'), cell: (row) => instant(row.finalAt), width: 20 },
  { id: 'transactionType', label: (t) => t('transactions.type'), cell: (row) => text(row.type), width: 10 },
  { id: 'status', label: (t) => t('transactions.status'), cell: (row) => text(row.status), width: 18 },
  { id: 'transferMethod', label: (t) => t('transactions.operator'), cell: (row) => text(row.operator), width: 11 },
  { id: 'countryName', label: (t) => t('transactions.country'), cell: (row) => text(OPERATORS[row.operator].country.name), width: 14 },
  { id: 'amount', label: (t) => t('transactions.amount'), cell: (row) => number(row.amountMinor), width: 14 },
  { id: 'currency', label: (t) => t('exports.currency'), cell: (row) => text(row.currency), width: 9 },
  { id: 'feesSystem', label: (t) => t('transaction.feesSystem'), cell: (row) => number(row.feeSystemMinor), width: 14 },
  { id: 'feesApp', label: (t) => t('transaction.feesApp'), cell: (row) => number(row.feeAppMinor), width: 14 },
  { id: 'receiverName', label: (t) => t('transaction.customer'), cell: (row) => text(row.customerName), width: 28 },
  { id: 'phoneReceiver', label: (t) => t('transaction.phone'), cell: (row) => text(row.phoneNumber), width: 17 },
  { id: 'payToken', label: (t) => t('transaction.payToken'), cell: (row) => text(row.payToken), width: 38 },
  { id: 'message', label: (t) => t('transactions.note'), cell: (row) => text(row.message), width: 32 },
  { id: 'batchId', label: (t) => t('transaction.batch'), cell: (row) => text(row.batchId), width: 38 },
]
