import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchCell, BatchColumns, RepairKind, RowEdits, RowProblem, RowWarning } from '#lib/batches/batch-fields.ts'
import { formulaFields, isPhoneRounded, readRow } from '#lib/batches/read-row.ts'
import { collectCredit, computeFees, smallestCollect } from '#lib/money/fees.ts'
import { formatMinor } from '#lib/money/money.ts'
import { isWithin } from '#lib/operators/amount-limits.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { foldText } from '#lib/text/clean-text.ts'
import { type ApplicationSnapshot, feesFor, serviceFor } from '#server/applications/snapshot.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { type Connected, limitsFor } from '#server/transactions/find-start-problems.ts'
import { toTextColumns } from '#server/transactions/payment-text-columns.ts'
import {
  type CheckedRow,
  type ComparisonRow,
  type RawRow,
  selectComparisons,
  selectRawRows,
  updateCheckedRows,
  updateWarnings,
} from './row-store.ts'

type Place = { applicationId: string; batchId: string }

/** Rows that are checked in one turn of the event loop: a few milliseconds. */
export const CHECK_PART = 500
/** How far back the same amount to the same person is pointed out. */
const RECENT_DAYS = 7
/** The newest transactions of a person that are compared. */
const COMPARED_MAX = 20

/** Checks stored rows again: all of them, or those with a kind of repair. Other requests get their turn after each part. */
export async function recheckRows(trx: TrxClient, place: Place, context: CheckContext, repair: RepairKind | null): Promise<void> {
  for (let afterRow = 0; ; ) {
    const part = await selectRawRows(trx, place, { afterRow, limit: CHECK_PART, repair })
    const last = part.at(-1)
    if (!last) return
    await recheckPart(trx, place, context, part)
    afterRow = last.rowNumber
    await nextTurn()
  }
}

/** Checks these rows again and returns what was stored. */
export async function recheckPart(trx: TrxClient, place: Place, context: CheckContext, rows: readonly RawRow[]): Promise<CheckedRow[]> {
  const checked = rows.map((row) => checkRow(row, context))
  await updateCheckedRows(trx, place, checked)
  return checked
}

/** Compares the rows of these persons, or all rows (null), with each other and with earlier transactions, and stores the warnings. */
export async function compareRows(trx: TrxClient, place: Place, type: TransactionType, phones: readonly string[] | null): Promise<void> {
  const found = await selectComparisons(trx, place, { type, phones, recentDays: RECENT_DAYS, limit: COMPARED_MAX })
  await updateWarnings(
    trx,
    place,
    phones,
    found.flatMap((row) => {
      const warnings = toWarnings(row)
      return warnings.length > 0 ? [{ row_number: row.rowNumber, warnings }] : []
    }),
  )
}

function toWarnings(row: ComparisonRow): RowWarning[] {
  const warnings: RowWarning[] = []
  if (row.otherRow !== null && row.count !== null) warnings.push({ kind: 'duplicate', row: row.otherRow, count: row.count })
  if (row.paidId !== null && row.paidAt !== null && row.paidMinor !== null) {
    warnings.push({
      kind: 'paid',
      transactionId: row.paidId,
      at: row.paidAt.toISOString(),
      amount: formatMinor(row.paidMinor),
      currency: row.paidCurrency ?? '',
    })
  }
  // Only another name: accents, case and the order of words do not matter.
  if (row.nameBefore !== null && wordsOf(row.nameBefore) !== wordsOf(row.customerName ?? '')) {
    warnings.push({ kind: 'name', before: row.nameBefore })
  }
  return warnings
}

function wordsOf(name: string): string {
  return foldText(name).split(' ').sort().join(' ')
}

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
  if (isPhoneRounded(row.cells, row.edits, context.columns)) notes.push({ kind: 'rounded' })
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
    ...toTextColumns(read),
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
  const { limits, areBinding } = limitsFor(application, connectors, operator, type)
  if (!isWithin(amountMinor, limits)) {
    const values = { minimum: formatMinor(limits.minimumMinor), maximum: formatMinor(limits.maximumMinor), currency }
    if (!areBinding) notes.push({ kind: 'limits', ...values })
    else if (limits.multipleMinor === null) problems.push({ field: 'amount', kind: 'amount_limits', values })
    else problems.push({ field: 'amount', kind: 'amount_multiples', values: { ...values, multiple: formatMinor(limits.multipleMinor) } })
  }
  const schedule = feesFor(application, operator, type)
  const fees = computeFees(amountMinor, currency, schedule)
  if (type === 'COLLECT' && collectCredit(amountMinor, fees) <= 0n) {
    problems.push({ field: 'amount', kind: 'amount_fees', values: { minimum: formatMinor(smallestCollect(schedule, currency)), currency } })
  }
  return { problems, notes, feeMinor: fees.feeSystemMinor + fees.feeAppMinor }
}
