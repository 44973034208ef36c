import type { BatchCell, RowEdits } from '#lib/batches/batch-fields.ts'
import type { LeftOutReason } from '#lib/batches/batches.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { PaymentTexts } from '#lib/payments/payment-fields.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { encodeRows, type RowColumns, type RowOf, recordOf } from '#server/database/json-row.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { selectTexts } from '#server/transactions/payment-text-columns.ts'

type Place = { applicationId: string; batchId: string }

/** A row that failed; the amount in hundredths. */
export type FailedRow = PaymentTexts & {
  /** Its number in the file; null if the row is gone. */
  rowNumber: number | null
  applicationId: string
  transactionId: string
  type: TransactionType
  operator: OperatorCode
  operatorReference: string | null
  operatorToken: string | null
  phoneNumber: string
  amountMinor: bigint
  currency: Currency
  /**
   * It was submitted, so that its operator may report something else now. Even where the operator denied it after its batch was stopped.
   */
  wasSent: boolean
  isContradicted: boolean
  isAsked: boolean
}

/** A batch `c` with a parent whose failed rows it does not repeat: it continues with those that were not submitted. */
export const CONTINUES = `not exists (select from batch_retries r where r.application_id = c.application_id and r.batch_id = c.batch_id)`

const RETRY_ROW = { failed_transaction_id: 'uuid', row_number: 'integer', external_id: 'uuid' } as const satisfies RowColumns

/** How many rows of a batch wait for a decision, and which an operator has not ended yet. */
export async function findOpenRows(
  queryable: Queryable,
  { applicationId, batchId }: Place,
): Promise<{ waiting: number; pendingIds: string[] }> {
  const { rows } = await queryable.query<{ waiting: number; pendingIds: string[] }>(
    `select count(*) filter (where status = 'PENDING_APPROVAL')::integer as waiting,
       coalesce(array_agg(transaction_id order by sequence) filter (where status = 'PENDING'), '{}') as "pendingIds"
     from transactions where application_id = $1 and batch_id = $2 and status in ('PENDING', 'PENDING_APPROVAL')`,
    [applicationId, batchId],
  )
  return rows[0] ?? { waiting: 0, pendingIds: [] }
}

/** Forgets retries that were never submitted: of discarded batches, and of rows that were left out of submitted ones. */
export async function removeUnusedRetries(queryable: Queryable, { applicationId, batchId }: Place): Promise<void> {
  await queryable.query(
    `delete from batch_retries r using batches b
     where r.application_id = $1 and r.parent_batch_id = $2 and b.application_id = r.application_id and b.batch_id = r.batch_id
       and (b.state = 'discarded' or (b.state = 'submitted' and not exists (select from batch_rows x
         where x.application_id = r.application_id and x.batch_id = r.batch_id and x.row_number = r.row_number and x.transaction_id is not null)))`,
    [applicationId, batchId],
  )
}

/**
 * Rows of a batch that failed and were approved before, or that came back without an approval; in no retry and not sent again one by one, in the
 * order of the file.
 */
export async function selectFailedRows(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  which: 'failed' | 'returned',
): Promise<FailedRow[]> {
  const { rows } = await queryable.query<FailedRow>(
    `select t.application_id as "applicationId", t.transaction_id as "transactionId", t.type, t.operator, x.row_number as "rowNumber",
       t.operator_reference as "operatorReference", t.operator_token as "operatorToken", t.phone_number as "phoneNumber",
       ${selectTexts('t')}, t.amount_minor as "amountMinor", t.currency,
       e.event = 'failed' and e.actor_kind <> 'system' as "wasSent",
       is_contradicted(t.application_id, t.transaction_id) as "isContradicted",
       is_asked_about(t.application_id, t.transaction_id) as "isAsked"
     from transactions t
       join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
       left join batch_rows x on x.application_id = t.application_id and x.transaction_id = t.transaction_id
     where t.application_id = $1 and t.batch_id = $2 and t.status = 'FAILED' and (e.event in ('rejected', 'recalled', 'expired')) = $3
       and not exists (select from batch_retries r where r.application_id = t.application_id and r.failed_transaction_id = t.transaction_id)
       and not exists (select from transaction_origins o where o.application_id = t.application_id and o.origin_id = t.transaction_id)
     order by t.sequence`,
    [applicationId, batchId, which === 'returned'],
  )
  return rows
}

export async function insertRetries(
  trx: TrxClient,
  { applicationId, batchId, parentBatchId }: Place & { parentBatchId: string },
  retries: readonly RowOf<typeof RETRY_ROW>[],
): Promise<void> {
  await trx.query(
    `insert into batch_retries (application_id, batch_id, parent_batch_id, failed_transaction_id, row_number, external_id)
       select $1, $2, $3, r.failed_transaction_id, r.row_number, r.external_id from json_to_recordset($4) as r (${recordOf(RETRY_ROW)})`,
    [applicationId, batchId, parentBatchId, encodeRows(RETRY_ROW, retries)],
  )
}

/** Rows of a submitted batch that started no transaction, as they are in the file. */
export async function selectUnsubmittedRows(
  queryable: Queryable,
  { applicationId, batchId }: Place,
): Promise<{ rowNumber: number; cells: BatchCell[]; edits: RowEdits }[]> {
  const { rows } = await queryable.query<{ rowNumber: number; cells: BatchCell[]; edits: RowEdits }>(
    `select row_number as "rowNumber", cells, edits from batch_rows
      where application_id = $1 and batch_id = $2 and transaction_id is null order by row_number`,
    [applicationId, batchId],
  )
  return rows
}

/** Whether another batch continues with the rows of this one that were not submitted. */
export async function isContinued(queryable: Queryable, { applicationId, batchId }: Place): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select from batches c where c.application_id = $1 and c.parent_batch_id = $2 and c.state <> 'discarded' and ${CONTINUES} limit 1`,
    [applicationId, batchId],
  )
  return rowCount === 1
}

/** Stores which failed rows a retry left out, and why. */
export async function insertLeftOut(
  trx: TrxClient,
  { applicationId, batchId }: Place,
  leftOut: readonly { transactionId: string; reason: LeftOutReason }[],
): Promise<void> {
  await trx.query(
    `insert into batch_left_out (application_id, batch_id, failed_transaction_id, reason)
       select $1, $2, l.id, l.reason from unnest($3::uuid[], $4::text[]) as l (id, reason)`,
    [applicationId, batchId, leftOut.map((row) => row.transactionId), leftOut.map((row) => row.reason)],
  )
}

export async function setParent(trx: TrxClient, { applicationId, batchId }: Place, parentBatchId: string): Promise<void> {
  await trx.query('update batches set parent_batch_id = $3 where application_id = $1 and batch_id = $2', [
    applicationId,
    batchId,
    parentBatchId,
  ])
}
