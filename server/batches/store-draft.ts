import { createHash, randomUUIDv7 } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchCell, BatchColumns, RowEdits } from '#lib/batches/batch-fields.ts'
import type { FileReading } from '#lib/batches/file-problem.ts'
import { usualHeader } from '#lib/batches/recognise-columns.ts'
import { PAYMENT_TEXT_NAMES, type PaymentTexts } from '#lib/payments/payment-fields.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { TrxClient } from '#server/database/pool.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { type Batch, insertBatch, recountBatch } from './batch-store.ts'
import { CHECK_PART, checkRow, compareRows } from './rows/check-rows.ts'
import { insertRows } from './rows/row-store.ts'

const FIELDS = ['phoneNumber', ...PAYMENT_TEXT_NAMES, 'amount', 'operator'] as const
const COLUMNS: BatchColumns = Object.fromEntries(FIELDS.map((field, column) => [field, column]))
/** The rows come from other batches or from the book of beneficiaries, not from a file. */
const READING: FileReading = {
  format: 'csv',
  encoding: null,
  separator: null,
  sheet: null,
  otherSheets: [],
  hiddenRows: 0,
  rowsAbove: 0,
}

export type DraftRow = { rowNumber: number; cells: readonly BatchCell[]; edits: RowEdits; externalId: string }

/** How the cells of a draft are read. */
export type DraftLayout = Pick<Batch, 'headers' | 'defaultOperator' | 'reading'> & { columns: BatchColumns }

/** The layout of rows that `cellsOf` wrote. */
export const PAYMENT_LAYOUT: DraftLayout = {
  headers: FIELDS.map(usualHeader),
  columns: COLUMNS,
  defaultOperator: null,
  reading: READING,
}

/** The cells of a payment that is not read from a file; the amount is a plain decimal. */
export function cellsOf(payment: PaymentTexts & { phoneNumber: string; amount: string; operator: string }): BatchCell[] {
  return FIELDS.map((field) => payment[field])
}

type Draft = DraftLayout & {
  application: ApplicationSnapshot
  makerId: string
  type: TransactionType
  name: string
  fileName: string
  rows: readonly DraftRow[]
}

/** Stores a batch whose columns are known, in the caller's transaction, and checks its rows. It waits for a maker, who submits it. */
export async function storeDraft(
  trx: TrxClient,
  connectors: Connected,
  { application, makerId, type, name, fileName, rows, headers, columns, defaultOperator, reading }: Draft,
): Promise<{ applicationId: string; batchId: string }> {
  const { applicationId } = application
  const place = { applicationId, batchId: randomUUIDv7() }
  await insertBatch(trx, {
    ...place,
    name,
    type,
    madeBy: makerId,
    fileName,
    fileSha256: createHash('sha256')
      .update(JSON.stringify(rows.map((row) => row.cells)))
      .digest(),
    state: 'draft',
    rowCount: rows.length,
    reading,
    headers,
    columns,
    defaultOperator,
  })
  const context = { application, connectors, type, columns, defaultOperator, acceptedRepairs: [] }
  for (let start = 0; start < rows.length; start += CHECK_PART) {
    const part = rows.slice(start, start + CHECK_PART)
    await insertRows(
      trx,
      place,
      part.map((row) => ({ ...checkRow(row, context), cells: [...row.cells], edits: row.edits, external_id: row.externalId })),
    )
    await nextTurn()
  }
  await compareRows(trx, place, type, null)
  await recountBatch(trx, applicationId, place.batchId, makerId)
  return place
}

const NAME_LENGTH_MAX = 200

/** `Salaries` becomes `Salaries (2)`, and that `Salaries (3)`. */
export function nextName(name: string): string {
  const [, base = name, number = '1'] = /^(.*?)(?: \((\d{1,3})\))?$/s.exec(name) ?? []
  const suffix = ` (${Number(number) + 1})`
  return `${base.slice(0, NAME_LENGTH_MAX - suffix.length)}${suffix}`
}
