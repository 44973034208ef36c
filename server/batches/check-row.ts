import type { BatchCell } from '#lib/batch-file/batch-cell.ts'
import type { BatchColumns, RepairKind, RowEdits, RowProblem, RowWarning } from '#lib/batch-file/batch-fields.ts'
import { formulaFields, readRow } from '#lib/batch-file/read-row.ts'
import { collectCredit, computeFees, smallestCollect } from '#lib/fees.ts'
import { formatMinor } from '#lib/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { phoneNumberForms } from '#lib/phone-number.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { type ApplicationSnapshot, feesFor, serviceFor } from '#server/applications/snapshot.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import type { CheckedRow } from './row-columns.ts'

export type CheckContext = {
  application: ApplicationSnapshot
  connectors: Connected
  type: TransactionType
  columns: BatchColumns
  defaultOperator: OperatorCode | null
  acceptedRepairs: readonly RepairKind[]
}

/**
 * Checks one row alone: form, operator and country, services, limits, fees. The rules are those that `startTransactions` applies, so
 * that what passes here is refused there only if the application was changed in between.
 */
export function checkRow(row: { rowNumber: number; cells: readonly BatchCell[]; edits: RowEdits }, context: CheckContext): CheckedRow {
  const read = readRow(row.cells, row.edits, {
    columns: context.columns,
    defaultOperator: context.defaultOperator,
    acceptedRepairs: new Set(context.acceptedRepairs),
  })
  const { operator, amountMinor, phoneNumber } = read
  const notes: RowWarning[] = formulaFields(row.cells, row.edits, context.columns).map((field) => ({ kind: 'formula', field }))
  let feeMinor: bigint | null = null
  if (operator && amountMinor !== null) {
    const service = checkService(operator, amountMinor, context)
    read.problems.push(...service.problems)
    notes.push(...service.notes)
    feeMinor = service.feeMinor
  }
  return {
    row_number: row.rowNumber,
    operator,
    phone_number: phoneNumber,
    phone_forms: phoneNumber === null ? null : phoneNumberForms(phoneNumber),
    customer_name: read.customerName,
    amount_minor: amountMinor,
    fee_minor: feeMinor,
    problems: read.problems,
    repairs: read.repairs,
    notes,
  }
}

function checkService(
  operator: OperatorCode,
  amountMinor: bigint,
  { application, connectors, type }: CheckContext,
): { problems: RowProblem[]; notes: RowWarning[]; feeMinor: bigint } {
  const problems: RowProblem[] = []
  const notes: RowWarning[] = []
  const { currency } = OPERATORS[operator].country
  const service = serviceFor(application, operator, type)
  if (!service.isEnabled || !connectors.has(operator, type))
    problems.push({ field: 'operator', kind: 'operator_closed', values: { operator } })
  const limits = OPERATORS[operator].limits[type]
  const minimumMinor = service.minimumMinor ?? limits.minimumMinor
  const maximumMinor = service.maximumMinor ?? limits.maximumMinor
  if (amountMinor < minimumMinor || amountMinor > maximumMinor) {
    const values = { minimum: formatMinor(minimumMinor), maximum: formatMinor(maximumMinor), currency }
    if (service.enforcesLimits) problems.push({ field: 'amount', kind: 'amount_limits', values })
    else notes.push({ kind: 'limits', ...values })
  }
  const schedule = feesFor(application, operator, type)
  const fees = computeFees(amountMinor, currency, schedule)
  if (type === 'COLLECT' && collectCredit(amountMinor, fees) <= 0n) {
    problems.push({ field: 'amount', kind: 'amount_fees', values: { minimum: formatMinor(smallestCollect(schedule, currency)), currency } })
  }
  return { problems, notes, feeMinor: fees.feeSystemMinor + fees.feeAppMinor }
}
