import { PAYMENT_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import type { BatchField, ProblemKind, RowProblem } from './batch-fields.ts'

/** The fields of a row in the order in which a person passes them: that of the table of rows, with the country behind its operator. */
export const CELL_FIELDS = ['phoneNumber', ...PAYMENT_TEXT_NAMES, 'operator', 'country', 'amount'] as const satisfies readonly BatchField[]

/** One field of one row of a batch. */
export type CellPlace = { rowNumber: number; field: BatchField }

export function isSameCell(one: CellPlace, other: CellPlace): boolean {
  return one.rowNumber === other.rowNumber && one.field === other.field
}

type Row = { rowNumber: number; exclusion: string | null; problems: readonly RowProblem[] }

/** The next cell with a problem after a cell, or the one before it with a step of -1, among rows in their order; undefined if there is none. */
export function nextProblem(rows: readonly Row[], from: CellPlace, step: 1 | -1): CellPlace | undefined {
  const places = rows
    .filter((row) => row.exclusion === null)
    .flatMap(({ rowNumber, problems }) =>
      CELL_FIELDS.filter((field) => problems.some((problem) => problem.field === field)).map((field) => ({ rowNumber, field })),
    )
  return step === 1 ? places.find((place) => compare(place, from) > 0) : places.findLast((place) => compare(place, from) < 0)
}

function compare(one: CellPlace, other: CellPlace): number {
  return one.rowNumber - other.rowNumber || CELL_FIELDS.indexOf(one.field) - CELL_FIELDS.indexOf(other.field)
}

/**
 * Problems of a value that says what was meant. Two rows with the same value then contain the same mistake. Where the value is missing or its
 * digits are lost, equal texts were different numbers, and one correction for all would pay one person for many.
 */
const TELLING: ReadonlySet<ProblemKind> = new Set([
  'phone_characters',
  'phone_length',
  'phone_country',
  'phone_dial_code',
  'amount_characters',
  'amount_not_positive',
  'amount_decimals',
  'amount_too_large',
  'amount_currency',
  'amount_thousands',
  'amount_limits',
  'amount_fees',
  'text_length',
  'operator_missing',
  'operator_unknown',
  'operator_country',
  'operator_closed',
  'country_unknown',
])

/** Whether rows with the same value and this problem may be corrected alike. */
export function isCorrectedAlike(kind: ProblemKind): boolean {
  return TELLING.has(kind)
}
