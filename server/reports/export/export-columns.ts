import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { PAYMENT_TEXT_NAMES, PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import type { ListColumn } from '#lib/payments/transactions/transaction-exports.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'

/** The kind of a cell's content decides how each format writes it: text is never taken for a number, a formula or a date. */
export type Cell =
  | { kind: 'text'; text: string }
  | { kind: 'number'; decimal: string }
  | { kind: 'instant'; at: Date }
  /** YYYY-MM-DD */
  | { kind: 'day'; day: string }
  | { kind: 'empty' }

/** A transaction with what the list shows of other tables. */
export type ExportedRow = Transaction & {
  /** Null for the API. */ makerName: string | null
  adjustments: readonly AdjustmentKind[]
  refund: RefundFacts | null
}

type RefundFacts = { /** The collect that it refunds. */ refundOf: string | null; refundedMinor: bigint }

type ExportColumn = {
  /** The head in CSV, for programs: the API's own names where it has one. The same in every language. */
  id: string
  /** The head in a workbook, for people; `zone`: that of its clock times. */
  label: (t: Translate, zone: string) => string
  cell: (row: ExportedRow) => Cell
  /** The column of the list that shows this; null: only in an export of all columns. */
  shownIn: ListColumn | null
  /** Width in a workbook, in characters. */
  width: number
}

const text = (value: string | null): Cell => (value === null ? { kind: 'empty' } : { kind: 'text', text: value })
const number = (amountMinor: bigint): Cell => ({ kind: 'number', decimal: formatMinor(amountMinor) })
const instant = (at: Date | null): Cell => (at === null ? { kind: 'empty' } : { kind: 'instant', at })

/**
 * Every column of an exported list of transactions, in their usual order. Times are UTC in CSV, which programs read, and in the zone of the
 * application's business days in a workbook.
 */
export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  { id: 'id', label: (t) => t('transaction.id'), cell: (row) => text(row.transactionId), shownIn: 'id', width: 38 },
  { id: 'externalId', label: (t) => t('transaction.externalId'), cell: (row) => text(row.externalId), shownIn: 'externalId', width: 38 },
  {
    id: 'createdAt',
    label: (t, zone) => `${t('exports.created')} (${zone})`,
    cell: (row) => instant(row.createdAt),
    shownIn: 'time',
    width: 20,
  },
  {
    id: 'finalAt',
    label: (t, zone) => `${t('exports.final')} (${zone})`,
    cell: (row) => instant(row.finalAt),
    shownIn: 'finished',
    width: 20,
  },
  { id: 'transactionType', label: (t) => t('transactions.type'), cell: (row) => text(row.type), shownIn: 'type', width: 10 },
  { id: 'status', label: (t) => t('transactions.status'), cell: (row) => text(row.status), shownIn: 'status', width: 18 },
  {
    id: 'adjustments',
    label: (t) => t('transaction.adjusted'),
    cell: (row) => text(row.adjustments.length === 0 ? null : row.adjustments.join(' ')),
    shownIn: 'status',
    width: 14,
  },
  { id: 'transferMethod', label: (t) => t('transactions.operator'), cell: (row) => text(row.operator), shownIn: 'operator', width: 11 },
  {
    id: 'countryName',
    label: (t) => t('transactions.country'),
    cell: (row) => text(OPERATORS[row.operator].country.name),
    shownIn: 'operator',
    width: 14,
  },
  { id: 'amount', label: (t) => t('transactions.amount'), cell: (row) => number(row.amountMinor), shownIn: 'amount', width: 14 },
  { id: 'currency', label: (t) => t('exports.currency'), cell: (row) => text(row.currency), shownIn: 'amount', width: 9 },
  { id: 'feesSystem', label: (t) => t('transaction.feesSystem'), cell: (row) => number(row.feeSystemMinor), shownIn: 'fees', width: 14 },
  { id: 'feesApp', label: (t) => t('transaction.feesApp'), cell: (row) => number(row.feeAppMinor), shownIn: 'fees', width: 14 },
  ...PAYMENT_TEXT_NAMES.map((name): ExportColumn => {
    const { recordName, width } = PAYMENT_TEXTS[name]
    return { id: recordName, label: (t) => t(`payment.field.${name}`), cell: (row) => text(row[name]), shownIn: name, width }
  }),
  {
    id: 'phoneReceiver',
    label: (t) => t('payment.field.phoneNumber'),
    cell: (row) => text(row.phoneNumber),
    shownIn: 'customerName',
    width: 17,
  },
  { id: 'payToken', label: (t) => t('transaction.payToken'), cell: (row) => text(row.payToken), shownIn: 'payToken', width: 38 },
  {
    id: 'operatorReference',
    label: (t) => t('transaction.operatorReference'),
    cell: (row) => text(row.operatorReference),
    shownIn: 'payToken',
    width: 24,
  },
  {
    id: 'operatorReferenceOther',
    label: (t) => t('transaction.operatorReferenceOther'),
    cell: (row) => text(row.operatorReferenceOther),
    shownIn: 'payToken',
    width: 24,
  },
  { id: 'message', label: (t) => t('transactions.note'), cell: (row) => text(row.message), shownIn: 'note', width: 32 },
  { id: 'makerName', label: (t) => t('transactions.maker'), cell: (row) => text(row.makerName), shownIn: 'maker', width: 24 },
  { id: 'batchId', label: (t) => t('transaction.batch'), cell: (row) => text(row.batchId), shownIn: null, width: 38 },
  { id: 'refundOf', label: (t) => t('exports.refundOf'), cell: (row) => text(row.refund?.refundOf ?? null), shownIn: null, width: 38 },
  {
    id: 'refunded',
    label: (t) => t('exports.refunded'),
    cell: ({ refund }) => (refund === null || refund.refundOf !== null ? { kind: 'empty' } : number(refund.refundedMinor)),
    shownIn: null,
    width: 14,
  },
]

/** The columns of an export: those that the person chose in the list, in that order, or all. The transaction's id is always one of them. */
export function chooseColumns(chosen: readonly ListColumn[] | null): readonly ExportColumn[] {
  if (chosen === null) return EXPORT_COLUMNS
  const shown = [...new Set(chosen)]
  const withId = shown.includes('id') ? shown : (['id', ...shown] as const)
  return withId.flatMap((each) => EXPORT_COLUMNS.filter((column) => column.shownIn === each))
}
