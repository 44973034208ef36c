import type { BatchColumns, RepairKind } from '#lib/batch-file/batch-fields.ts'
import type { FileReading } from '#lib/batch-file/file-problem.ts'
import type { BatchState } from '#lib/batch-state.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'

/** Of the rows that can be submitted, at one operator. Amounts in hundredths, as text. */
export type BatchSum = { operator: OperatorCode; count: number; amountMinor: string; feeMinor: string }

/** A stored batch. */
export type Batch = {
  applicationId: string
  batchId: string
  name: string
  type: TransactionType
  makerId: string
  createdBy: string
  fileName: string
  contentHash: Buffer | null
  state: BatchState
  rowCount: number
  parentBatchId: string | null
  reading: FileReading
  headers: string[]
  columns: BatchColumns | null
  acceptedRepairs: RepairKind[]
  defaultOperator: OperatorCode | null
  readyCount: number
  problemCount: number
  excludedCount: number
  startedCount: number
  sums: BatchSum[]
  version: number
  repeatsBatchId: string | null
  repeatReason: string | null
  createdAt: Date
  changedAt: Date
  submittedAt: Date | null
}

/** The columns of a Batch, for a statement that reads them from `b`. */
export const BATCH_COLUMNS = `b.application_id as "applicationId", b.batch_id as "batchId", b.name, b.type, b.maker_id as "makerId",
  b.created_by as "createdBy", b.file_name as "fileName", b.content_hash as "contentHash", b.state, b.row_count as "rowCount",
  b.parent_batch_id as "parentBatchId", b.reading, b.headers, b.columns, b.accepted_repairs as "acceptedRepairs",
  b.default_operator as "defaultOperator", b.ready_count as "readyCount", b.problem_count as "problemCount",
  b.excluded_count as "excludedCount", b.started_count as "startedCount", b.sums, b.version,
  b.repeats_batch_id as "repeatsBatchId", b.repeat_reason as "repeatReason", b.created_at as "createdAt", b.changed_at as "changedAt",
  b.submitted_at as "submittedAt"`
