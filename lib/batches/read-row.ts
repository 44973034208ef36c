import { COUNTRIES, type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { mapTexts, PAYMENT_TEXTS, type PaymentTextName } from '#lib/payments/payment-fields.ts'
import { isAtMost } from '#lib/schemas/fields.ts'
import {
  type BatchCell,
  type BatchColumns,
  type BatchField,
  cellKind,
  cellText,
  type RepairKind,
  type RowEdits,
  type RowProblem,
  type RowRepair,
  type RowTexts,
} from './batch-fields.ts'
import { readAmount } from './read-amount.ts'
import { dialledCountry, readCountry, readOperator, readPhone } from './read-receiver.ts'

type ReadRowContext = {
  columns: BatchColumns
  defaultOperator: OperatorCode | null
  acceptedRepairs: ReadonlySet<RepairKind>
}

export type ReadRow = RowTexts & {
  operator: OperatorCode | null
  phoneNumber: string | null
  /** Hundredths. */
  amountMinor: bigint | null
  problems: RowProblem[]
  /** Accepted or only proposed. */
  repairs: RowRepair[]
}

/**
 * Reads one row of a file: what a maker typed counts instead of the cell. A row without problems has all fields. What needs the
 * application (limits, services, fees) or other rows is checked by the service.
 */
export function readRow(cells: readonly BatchCell[], edits: RowEdits, context: ReadRowContext): ReadRow {
  const cellOf = (field: BatchField): BatchCell | undefined => {
    const edited = edits[field]
    if (edited !== undefined) return edited
    const column = context.columns[field]
    return column === undefined ? undefined : cells[column]
  }
  const isAccepted = (kind: RepairKind) => context.acceptedRepairs.has(kind)
  const problems: RowProblem[] = []
  const { operator, country } = readWho(cellOf, context, problems)
  const phone = readPhone(cellOf('phoneNumber'), { country, isAccepted })
  if (phone.problem) problems.push({ field: 'phoneNumber', ...phone.problem })
  const details = operator ? OPERATORS[operator] : undefined
  const amount = readAmount(cellOf('amount'), { currency: details?.country.currency, decimals: details?.decimals ?? 2, isAccepted })
  if (amount.problem)
    problems.push({ field: 'amount', kind: amount.problem, ...(details ? { values: { currency: details.country.currency } } : {}) })
  return {
    operator,
    phoneNumber: phone.phoneNumber ?? null,
    ...mapTexts((name) => readText(name, cellOf(name), problems)),
    amountMinor: amount.amountMinor ?? null,
    problems,
    repairs: [...phone.repairs, ...(amount.repair ? [amount.repair] : [])],
  }
}

/** Returns the fields whose value is the stored result of a formula. */
export function formulaFields(cells: readonly BatchCell[], edits: RowEdits, columns: BatchColumns): BatchField[] {
  return (Object.entries(columns) as [BatchField, number][]).flatMap(([field, column]) => {
    const cell = cells[column]
    return edits[field] === undefined && typeof cell === 'object' && cell.isFormula ? [field] : []
  })
}

const ROUNDED = /0{5}$/

/** Whether the phone number is a stored number whose last digits a spreadsheet may have rounded away: 2.37677E+11 is stored as 237677000000. */
export function isPhoneRounded(cells: readonly BatchCell[], edits: RowEdits, columns: BatchColumns): boolean {
  const cell = columns.phoneNumber === undefined ? undefined : cells[columns.phoneNumber]
  return edits.phoneNumber === undefined && cellKind(cell) === 'number' && ROUNDED.test(cellText(cell))
}

function readWho(
  cellOf: (field: BatchField) => BatchCell | undefined,
  { defaultOperator }: ReadRowContext,
  problems: RowProblem[],
): { operator: OperatorCode | null; country: CountryName | undefined } {
  const countryText = cellText(cellOf('country')).trim()
  const named = readCountry(cellOf('country'))
  if (countryText !== '' && !named) problems.push({ field: 'country', kind: 'country_unknown', values: { text: countryText.slice(0, 60) } })
  const reading = readOperator(cellOf('operator'), named ?? dialledCountry(cellOf('phoneNumber')), defaultOperator)
  if (reading.problem) {
    problems.push({ field: 'operator', kind: reading.problem, values: { text: cellText(cellOf('operator')).trim().slice(0, 60) } })
    return { operator: null, country: named }
  }
  const operator = reading.operator ?? null
  const country = operator ? OPERATORS[operator].country.name : named
  if (operator && named && country !== named) {
    problems.push({
      field: 'operator',
      kind: 'operator_country',
      values: { operator, country: named, dialCode: COUNTRIES[named].dialCode },
    })
  }
  return { operator, country }
}

function readText(name: PaymentTextName, cell: BatchCell | undefined, problems: RowProblem[]): string | null {
  const { isRequired, lengthMax } = PAYMENT_TEXTS[name]
  const text = cellText(cell).replace(/\s+/gu, ' ').trim()
  const kind =
    cellKind(cell) === 'error'
      ? 'text_error'
      : text === '' && isRequired
        ? 'text_missing'
        : isAtMost(text, lengthMax)
          ? undefined
          : 'text_length'
  if (kind) problems.push({ field: name, kind, values: { lengthMax: String(lengthMax) } })
  return kind ? null : text
}
