import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RepairKind, RowWarning } from '#lib/batch-file/batch-fields.ts'
import { foldText } from '#lib/fold-text.ts'
import { formatMinor } from '#lib/money.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { type CheckContext, checkRow } from './check-row.ts'
import type { CheckedRow } from './row-columns.ts'
import { type ComparisonRow, type RawRow, selectComparisons, selectRawRows, updateCheckedRows, updateWarnings } from './row-store.ts'

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
  if (row.firstRow !== null && row.count !== null) warnings.push({ kind: 'duplicate', row: row.firstRow, count: row.count })
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
