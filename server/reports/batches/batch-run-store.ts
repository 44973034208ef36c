import type { RowProblem } from '#lib/batches/batch-fields.ts'
import type { StagedBatch } from '#lib/batches/batch-stage.ts'
import type { BatchRowPlace, LeftOutReason } from '#lib/batches/batches.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { PaymentTexts } from '#lib/payments/payment-fields.ts'
import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import { CONTINUES } from '#server/batches/retry-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectTexts } from '#server/transactions/payment-text-columns.ts'

type RunGroup = {
  operator: OperatorCode
  currency: Currency
  place: BatchRowPlace
  isUnconfirmed: boolean
  isRetryable: boolean
  isReturned: boolean
  count: number
  amountMinor: bigint
}

const PLACE = `case
  when t.status = 'PENDING_APPROVAL' then 'waiting'
  when t.status = 'SUCCESS' then 'succeeded'
  when t.status = 'FAILED' then case e.event when 'refused_for_funds' then 'failed' else e.event end
  when w.state = 'paused' then 'paused'
  when w.state in ('queued', 'unfunded', 'awaiting_code') then 'queued'
  else 'sent' end`

/** Every row of a batch, counted and summed by operator and by where it is. */
export async function selectRunGroups(queryable: Queryable, applicationId: string, batchId: string): Promise<RunGroup[]> {
  const { rows } = await queryable.query<RunGroup>(
    `select t.operator, t.currency, ${PLACE} as place, coalesce(w.unconfirmed_since is not null, false) as "isUnconfirmed",
       (t.status = 'FAILED' and e.event in ('rejected', 'recalled', 'expired') and r.batch_id is null) as "isReturned",
       (t.status = 'FAILED' and e.event not in ('rejected', 'recalled', 'expired') and r.batch_id is null
         and not is_contradicted(t.application_id, t.transaction_id) and not is_asked_about(t.application_id, t.transaction_id)) as "isRetryable",
       count(*)::integer as count, sum(t.amount_minor) as "amountMinor"
     from transactions t
       left join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
       left join transaction_events e on t.status = 'FAILED' and e.application_id = t.application_id and e.transaction_id = t.transaction_id
         and e.version = t.version
       left join batch_retries r on t.status = 'FAILED' and r.application_id = t.application_id and r.failed_transaction_id = t.transaction_id
         and exists (select from batches c where c.application_id = r.application_id and c.batch_id = r.batch_id and c.state <> 'discarded')
     where t.application_id = $1 and t.batch_id = $2
     group by 1, 2, 3, 4, 5, 6 order by 1, 3`,
    [applicationId, batchId],
  )
  return rows
}

type RunHead = StagedBatch & {
  name: string | null
  /** Null for a batch of a program. */
  makerId: string | null
  runState: 'running' | 'paused' | 'stopped' | null
  changedBy: string | null
  changedById: string | null
  changedAt: Date | null
  reason: string | null
  releaseAt: Date | null
  isTimed: boolean | null
  /** Whether that time is still to come. */
  isLater: boolean
  releasedAt: Date | null
  parentId: string | null
  parentName: string | null
}

export async function selectRunHead(queryable: Queryable, applicationId: string, batchId: string): Promise<RunHead | undefined> {
  const { rows } = await queryable.query<RunHead>(
    `select b.name, t.type, s.places, name_batch_state('submitted', s.places) as stage, t.maker_id as "makerId", r.state as "runState", p.name as "changedBy", r.changed_by as "changedById",
       r.changed_at as "changedAt", r.reason, r.release_at as "releaseAt", r.is_timed as "isTimed", coalesce(r.release_at > clock_timestamp(), false) as "isLater", r.released_at as "releasedAt", f.batch_id as "parentId", f.name as "parentName"
     from (select maker_id, type from transactions where application_id = $1 and batch_id = $2 limit 1) t
       left join batches b on b.application_id = $1 and b.batch_id = $2
       cross join lateral (select coalesce(b.places, count_batch_places($1, $2)) as places) s
       left join batch_runs r on r.application_id = $1 and r.batch_id = $2
       left join people p on p.person_id = r.changed_by
       left join batches f on f.application_id = $1 and f.batch_id = b.parent_batch_id`,
    [applicationId, batchId],
  )
  return rows[0]
}

/** The people who decided about a batch as a whole, in order. */
export async function selectRunDecisions(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
): Promise<{ checkerName: string; decision: 'validated' | 'rejected'; count: number; at: Date }[]> {
  const { rows } = await queryable.query<{ checkerName: string; decision: 'validated' | 'rejected'; count: number; at: Date }>(
    `select p.name as "checkerName", d.decision, count(*)::integer as count, min(d.decided_at) as at
     from approval_decisions d join people p on p.person_id = d.checker_id
     where d.application_id = $1 and d.batch_id = $2 group by p.person_id, p.name, d.decision order by at, d.decision desc`,
    [applicationId, batchId],
  )
  return rows
}

/** The batches that repeat rows of this one or continue with those that were not submitted, without discarded ones. */
export async function selectRunRetries(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
): Promise<{ batchId: string; name: string; rows: number }[]> {
  const { rows } = await queryable.query<{ batchId: string; name: string; rows: number }>(
    `select b.batch_id as "batchId", b.name, b.row_count as rows from batches b
     where b.application_id = $1 and b.state <> 'discarded'
       and b.parent_batch_id = $2
     order by b.created_at`,
    [applicationId, batchId],
  )
  return rows
}

type UnsubmittedRow = {
  rowNumber: number
  name: string | null
  exclusion: string | null
  problems: RowProblem[]
  total: number
  isContinued: boolean
}

/** Rows of a submitted batch that started no transaction, the first `limit` of them; `total` counts all. */
export async function selectUnsubmitted(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
  limit: number,
): Promise<UnsubmittedRow[]> {
  const { rows } = await queryable.query<UnsubmittedRow>(
    `select x.row_number as "rowNumber", x.customer_name as name, x.exclusion, x.problems, count(*) over ()::integer as total,
       exists (select from batches c where c.application_id = $1 and c.parent_batch_id = $2 and c.state <> 'discarded' and ${CONTINUES}) as "isContinued"
     from batch_rows x join batches b on b.application_id = x.application_id and b.batch_id = x.batch_id
     where x.application_id = $1 and x.batch_id = $2 and x.transaction_id is null and b.state = 'submitted' order by x.row_number limit $3`,
    [applicationId, batchId, limit],
  )
  return rows
}

type LeftOutRow = { transactionId: string; customerName: string; reason: LeftOutReason; total: number }

/** Failed rows of a batch that may have been paid and are in no retry, the first `limit` of them; `total` counts all. */
export async function selectWithheld(queryable: Queryable, applicationId: string, batchId: string, limit: number): Promise<LeftOutRow[]> {
  const { rows } = await queryable.query<LeftOutRow>(
    `select t.transaction_id as "transactionId", t.customer_name as "customerName",
       case when is_contradicted(t.application_id, t.transaction_id) then 'contradicted' else 'asked' end as reason,
       count(*) over ()::integer as total
     from transactions t
     where t.application_id = $1 and t.batch_id = $2 and t.status = 'FAILED'
       and (is_contradicted(t.application_id, t.transaction_id) or is_asked_about(t.application_id, t.transaction_id))
       and not exists (select from batch_retries r join batches c on c.application_id = r.application_id and c.batch_id = r.batch_id
         where r.application_id = t.application_id and r.failed_transaction_id = t.transaction_id and c.state <> 'discarded')
     order by t.sequence limit $3`,
    [applicationId, batchId, limit],
  )
  return rows
}

/** The rows that a retry left out, the first `limit` of them; `total` counts all. */
export async function selectLeftOut(queryable: Queryable, applicationId: string, batchId: string, limit: number): Promise<LeftOutRow[]> {
  const { rows } = await queryable.query<LeftOutRow>(
    `select t.transaction_id as "transactionId", t.customer_name as "customerName", l.reason, count(*) over ()::integer as total
     from batch_left_out l join transactions t on t.application_id = l.application_id and t.transaction_id = l.failed_transaction_id
     where l.application_id = $1 and l.batch_id = $2 order by t.sequence limit $3`,
    [applicationId, batchId, limit],
  )
  return rows
}

export type BatchResult = PaymentTexts & {
  rowNumber: number | null
  transactionId: string
  externalId: string
  operator: OperatorCode
  currency: Currency
  amountMinor: bigint
  feeMinor: bigint
  phoneNumber: string
  status: TransactionStatus
  place: BatchRowPlace
  message: string | null
  finalAt: Date | null
  payToken: string
  /** The transaction that this row repeats, and the externalId under which it is repeated. */
  repeats: string | null
  repeatedAs: string | null
}

/** The rows of a batch after a sequence, with what became of each. */
export async function selectResults(
  queryable: Queryable,
  { applicationId, batchId, after, limit }: { applicationId: string; batchId: string; after: bigint; limit: number },
): Promise<(BatchResult & { sequence: bigint })[]> {
  const { rows } = await queryable.query<BatchResult & { sequence: bigint }>(
    `select t.sequence, x.row_number as "rowNumber", t.transaction_id as "transactionId", t.external_id as "externalId", t.operator, t.currency,
       t.amount_minor as "amountMinor", t.fee_system_minor + t.fee_app_minor as "feeMinor", ${selectTexts('t')},
       t.phone_number as "phoneNumber", t.status, ${PLACE} as place, t.message, t.final_at as "finalAt",
       coalesce(t.operator_token, t.pay_token) as "payToken", o.failed_transaction_id as repeats, r.external_id as "repeatedAs"
     from transactions t
       left join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
       left join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
       left join batch_rows x on x.application_id = t.application_id and x.transaction_id = t.transaction_id
       left join batch_retries r on r.application_id = t.application_id and r.failed_transaction_id = t.transaction_id
       left join batch_retries o on o.application_id = t.application_id and o.external_id = t.external_id
     where t.application_id = $1 and t.batch_id = $2 and t.sequence > $3 order by t.sequence limit $4`,
    [applicationId, batchId, after, limit],
  )
  return rows
}
