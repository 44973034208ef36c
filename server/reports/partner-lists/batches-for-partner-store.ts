import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import type { BatchRowStatus } from '#lib/schemas/api/batch-request.ts'
import type { Queryable } from '#server/database/pool.ts'

/** A batch that a program made. */
export type PartnerBatch = {
  batchId: string
  idempotencyKey: string
  name: string
  webhookUrl: string
  depositCount: number
  createdAt: Date
}

const COLUMNS = `b.batch_id as "batchId", b.idempotency_key as "idempotencyKey", b.name, b.webhook_url as "webhookUrl",
  b.row_count as "depositCount", b.created_at as "createdAt"`

/** Batches that programs of the application made, newest first, behind one of them (null: from the newest on); at most `limit`. */
export async function listBatchesBefore(
  queryable: Queryable,
  applicationId: string,
  before: string | null,
  limit: number,
): Promise<PartnerBatch[]> {
  const { rows } = await queryable.query<PartnerBatch>(
    `select ${COLUMNS} from batches b
      where b.application_id = $1 and b.idempotency_key is not null and ($2::uuid is null or b.batch_id < $2)
      order by b.batch_id desc limit $3`,
    [applicationId, before, limit],
  )
  return rows
}

type FoundBatch = PartnerBatch & { counts: Record<BatchRowStatus, number> }

/** The ends of transactions that are FAILED. */
const FAILED_PLACES = ['failed', 'rejected', 'recalled', 'expired', 'stopped'] as const

type CountedBatch = PartnerBatch & {
  /** Where all its transactions ended; null while one of them has not. */
  places: Partial<Record<'succeeded' | (typeof FAILED_PLACES)[number], number>> | null
  /** How many transactions are in each status; null once all have ended. */
  statuses: Partial<Record<TransactionStatus, number>> | null
  /** While rows are being started, how many were refused; null afterwards, when every row without a transaction was. */
  refusedCount: number | null
}

/**
 * A batch that a program made, with its deposits counted by status; undefined if the application has no such batch. Programs ask until a batch has
 * finished, so transactions are counted only until then, and rows only while they are being started.
 */
export async function findPartnerBatch(queryable: Queryable, applicationId: string, batchId: string): Promise<FoundBatch | undefined> {
  const { rows } = await queryable.query<CountedBatch>(
    `select ${COLUMNS}, b.places,
         case when b.places is null then (select coalesce(jsonb_object_agg(c.status, c.count), '{}') from (
           select t.status, count(*) as count from transactions t where t.application_id = $1 and t.batch_id = $2 group by 1) c) end as statuses,
         case when b.state = 'submitting' then (select count(*)::integer from batch_rows r
           where r.application_id = $1 and r.batch_id = $2 and r.refusal is not null) end as "refusedCount"
       from batches b where b.application_id = $1 and b.batch_id = $2 and b.idempotency_key is not null`,
    [applicationId, batchId],
  )
  const [found] = rows
  if (!found) return undefined
  const { places, statuses, refusedCount, ...batch } = found
  const ended = () => FAILED_PLACES.reduce((sum, place) => sum + (places?.[place] ?? 0), 0)
  const { PENDING_APPROVAL = 0, PENDING = 0, SUCCESS = 0, FAILED = 0 } = statuses ?? { SUCCESS: places?.succeeded ?? 0, FAILED: ended() }
  const rest = batch.depositCount - PENDING_APPROVAL - PENDING - SUCCESS - FAILED
  const REFUSED = refusedCount ?? rest
  return { ...batch, counts: { QUEUED: rest - REFUSED, REFUSED, PENDING_APPROVAL, PENDING, SUCCESS, FAILED } }
}

const ROWS = `batch_rows r left join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id`
const STATUS = `coalesce(t.status, case when r.refusal is null then 'QUEUED' else 'REFUSED' end)`

export type PartnerBatchRow = {
  rowNumber: number
  externalId: string
  status: BatchRowStatus
  transactionId: string | null
  refusal: string | null
  message: string | null
  operator: OperatorCode
  phoneNumber: string
  amountMinor: bigint
}

/** Rows of a batch after a row, in order; at most `limit`. */
export async function listRowsAfter(
  queryable: Queryable,
  { applicationId, batchId }: { applicationId: string; batchId: string },
  after: number,
  limit: number,
): Promise<PartnerBatchRow[]> {
  const { rows } = await queryable.query<PartnerBatchRow>(
    `select r.row_number as "rowNumber", r.external_id as "externalId", ${STATUS} as status, r.transaction_id as "transactionId",
         r.refusal, t.message, r.operator, r.phone_number as "phoneNumber", r.amount_minor as "amountMinor"
       from ${ROWS} where r.application_id = $1 and r.batch_id = $2 and r.row_number > $3 order by r.row_number limit $4`,
    [applicationId, batchId, after, limit],
  )
  return rows
}
