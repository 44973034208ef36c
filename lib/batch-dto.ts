import type { BatchColumns, BatchField, RepairKind, RowEdits, RowProblem, RowRepair, RowWarning } from './batch-file/batch-fields.ts'
import type { FileReading } from './batch-file/file-problem.ts'
import type { BatchState } from './batch-state.ts'
import type { Currency } from './money.ts'
import type { OperatorCode } from './operators.ts'
import type { TransactionType } from './transaction-status.ts'

/** Rows of a batch on one page of the dry run, and batches on one page of the list. */
export const BATCH_PAGE_SIZE = 50

/** Which rows are shown. */
export const ROW_FILTERS = ['all', 'problems', 'warnings', 'repairs', 'excluded'] as const
export type RowFilter = (typeof ROW_FILTERS)[number]

/** Amounts are exact decimals, instants ISO 8601. */
export type CurrencySum = { currency: Currency; count: number; amount: string }

export type BatchListItem = {
  batchId: string
  name: string
  type: TransactionType
  state: BatchState
  makerName: string
  /** Who decided on its transactions, by name. */
  decidedBy: string[]
  rowCount: number
  readyCount: number
  problemCount: number
  sums: CurrencySum[]
  createdAt: string
  submittedAt: string | null
}

export type BatchRowDto = {
  rowNumber: number
  operator: OperatorCode | null
  phoneNumber: string | null
  customerName: string | null
  amount: string | null
  /** What the file or the maker has in each field, for the form. */
  typed: Record<BatchField, string>
  edits: RowEdits
  problems: RowProblem[]
  repairs: RowRepair[]
  warnings: RowWarning[]
  exclusion: string | null
}

/** What the file does at one operator. `balance…` are null for collects, which take nothing from the deposit balance. */
export type BatchOperatorSum = {
  operator: OperatorCode
  currency: Currency
  count: number
  amount: string
  fees: string
  balanceNow: string | null
  balanceAfter: string | null
  /** After this file and every deposit that waits for approval. */
  balanceAfterWaiting: string | null
}

type BatchRepairDto = {
  kind: RepairKind
  count: number
  isAccepted: boolean
  examples: { rowNumber: number; before: string; after: string }[]
}

/** What the approval rules require of the batch. */
export type BatchApprovalNeed = { rules: string[]; steps: number[]; needsCode: boolean; currencies: Currency[]; firstTimeOnly: boolean }

export type BatchDto = {
  batchId: string
  name: string
  type: TransactionType
  state: BatchState
  version: number
  fileName: string
  reading: FileReading
  headers: string[]
  columns: BatchColumns | null
  defaultOperator: OperatorCode | null
  makerName: string
  createdByName: string
  createdAt: string
  changedAt: string
  submittedAt: string | null
  rowCount: number
  readyCount: number
  problemCount: number
  excludedCount: number
  startedCount: number
  warningCount: number
  repairCount: number
  /** Rows that could not be started although the batch was submitted. */
  refusedCount: number
  sums: CurrencySum[]
  operators: BatchOperatorSum[]
  repairs: BatchRepairDto[]
  approvals: BatchApprovalNeed[]
  checkers: string[]
  /** The submitted batch with the same payments. */
  twin: { batchId: string; name: string; makerName: string; submittedAt: string } | null
  /** Some of the first rows as read, to assign columns by. */
  samples: string[][]
}
