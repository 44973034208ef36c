import { PAYMENT_TEXT_NAMES, PAYMENT_TEXTS, type PaymentTextName } from '#lib/payments/payment-fields.ts'

/** The fields that a column of a batch file can be assigned to. */
export const BATCH_FIELDS = ['phoneNumber', 'amount', ...PAYMENT_TEXT_NAMES, 'operator', 'country'] as const
export type BatchField = (typeof BATCH_FIELDS)[number]

/** Without these a file cannot be read; the operator can be chosen once for all rows, and the country follows from the operator. */
export const REQUIRED_FIELDS: readonly BatchField[] = [
  'phoneNumber',
  'amount',
  ...PAYMENT_TEXT_NAMES.filter((name) => PAYMENT_TEXTS[name].isRequired),
]

/** The rows that a file may have, without its header. */
export const BATCH_ROWS_MAX = 10_000
/** The columns that are read. */
export const BATCH_COLUMNS_MAX = 50
/** The characters of one cell that are kept. */
export const BATCH_CELL_LENGTH_MAX = 500
/** The cells that one repair may change. */
export const EDITED_CELLS_MAX = 500

/** The column of each field, counted from 0. */
export type BatchColumns = { [Field in BatchField]?: number }

/** Values that a maker typed in place of cells. */
export type RowEdits = { [Field in BatchField]?: string }

/** Repairs by rule. A maker accepts or undoes all repairs of one kind together. */
export const REPAIR_KINDS = ['benin', 'ivory_coast', 'dial_code', 'exponent', 'thousands'] as const
export type RepairKind = (typeof REPAIR_KINDS)[number]

export type RowRepair = { field: 'phoneNumber' | 'amount'; kind: RepairKind; before: string; after: string }

/** Why a row cannot be submitted. The texts are `batches.problem.<kind>`. */
export const PROBLEM_KINDS = [
  'phone_missing',
  'phone_characters',
  'phone_digits_lost',
  'phone_date',
  'phone_length',
  'phone_country',
  'phone_error',
  'phone_dial_code',
  'amount_missing',
  'amount_characters',
  'amount_digits_lost',
  'amount_date',
  'amount_not_positive',
  'amount_decimals',
  'amount_too_large',
  'amount_currency',
  'amount_error',
  'amount_thousands',
  'amount_limits',
  'amount_multiples',
  'amount_fees',
  'text_missing',
  'text_length',
  'text_error',
  'operator_missing',
  'operator_unknown',
  'operator_country',
  'operator_closed',
  'country_unknown',
] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

/** The texts of a row; null where the row has none that can be stored. */
export type RowTexts = Record<PaymentTextName, string | null>

/** `values` are those of the text. */
export type RowProblem = { field: BatchField; kind: ProblemKind; values?: Record<string, string> }

/** Warnings to review before submitting; none of them blocks it. The texts are `batches.warning.<kind>`. */
export type RowWarning =
  /** Another row has the same number and amount; `row` is the first of them. */
  | { kind: 'duplicate'; row: number; count: number }
  /** A payment of the same amount to the same number that did not fail. */
  | { kind: 'paid'; transactionId: string; at: string; amount: string; currency: string }
  /** The last successful payment to this number had another name. */
  | { kind: 'name'; before: string }
  /** Outside what the operator states for this kind of payment. */
  | { kind: 'limits'; minimum: string; maximum: string; currency: string }
  /** The value is the result of a formula, as the spreadsheet last stored it. */
  | { kind: 'formula'; field: BatchField }
  /** A spreadsheet stored the phone number as a number that ends in many zeros: it may have rounded its last digits away. */
  | { kind: 'rounded' }

/**
 * One cell of a file, as read. A plain text, or a value that a spreadsheet stored as something else: `number` with every digit it
 * stores, `date` as `2026-01-31`, `error` as `#REF!`. `isFormula`: the text is the result that was stored with the formula.
 */
export type BatchCell = string | { text: string; kind: 'text' | 'number' | 'date' | 'error'; isFormula?: true }

/** The text of a cell. */
export function cellText(cell: BatchCell | undefined): string {
  return cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text
}

/** The kind of a cell; a plain text is `text`. */
export function cellKind(cell: BatchCell | undefined): 'text' | 'number' | 'date' | 'error' {
  return cell === undefined || typeof cell === 'string' ? 'text' : cell.kind
}
