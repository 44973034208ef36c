import type { BatchColumns, RepairKind } from '#lib/batches/batch-fields.ts'
import { type BatchState, RELEASE_DAYS_MAX } from '#lib/batches/batches.ts'
import type { FileReading } from '#lib/batches/file-problem.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { listTextColumns } from '#server/transactions/payment-text-columns.ts'

/** Of the rows that can be submitted, at one operator. Amounts in hundredths, as text. */
export type BatchSum = { operator: OperatorCode; count: number; amountMinor: string; feeMinor: string }

/** A stored batch. */
export type Batch = {
  applicationId: string
  batchId: string
  name: string
  type: TransactionType
  /** Null for a batch of a program. */
  makerId: string | null
  /** The program that made it, and where its results go; null for a batch of a person. */
  program: { apiUserId: string; webhookUrl: string } | null
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
  changeDigest: Buffer | null
  repeatsBatchId: string | null
  repeatReason: string | null
  createdAt: Date
  changedAt: Date
  submittedAt: Date | null
}

/** The columns of a Batch, for a statement that reads them from `b`. */
export const BATCH_COLUMNS = `b.application_id as "applicationId", b.batch_id as "batchId", b.name, b.type, b.maker_id as "makerId",
  case when b.api_user_id is not null then jsonb_build_object('apiUserId', b.api_user_id, 'webhookUrl', b.webhook_url) end as program, b.file_name as "fileName", b.content_hash as "contentHash", b.state, b.row_count as "rowCount",
  b.parent_batch_id as "parentBatchId", b.reading, b.headers, b.columns, b.accepted_repairs as "acceptedRepairs",
  b.default_operator as "defaultOperator", b.ready_count as "readyCount", b.problem_count as "problemCount",
  b.excluded_count as "excludedCount", b.started_count as "startedCount", b.sums, b.version, b.change_digest as "changeDigest",
  b.repeats_batch_id as "repeatsBatchId", b.repeat_reason as "repeatReason", b.created_at as "createdAt", b.changed_at as "changedAt",
  b.submitted_at as "submittedAt"`

type NewBatch = {
  applicationId: string
  batchId: string
  name: string
  type: TransactionType
  madeBy: string | { apiUserId: string; key: string; webhookUrl: string }
  fileName: string
  fileSha256: Buffer
  state: 'checking' | 'draft'
  rowCount: number
  reading: FileReading
  headers: readonly string[]
  columns: BatchColumns | null
  defaultOperator: OperatorCode | null
}

/** Stores a batch of a person or a program. False, with nothing stored, if the program made one with the same key before. */
export async function insertBatch(trx: TrxClient, { madeBy, ...batch }: NewBatch): Promise<boolean> {
  const isPerson = typeof madeBy === 'string'
  const { rowCount } = await trx.query(
    `insert into batches (application_id, batch_id, name, type, maker_id, created_by, prepared_by, file_name, file_sha256, state, row_count, reading,
        headers, columns, default_operator, api_user_id, idempotency_key, webhook_url)
      values ($1, $2, $3, $4, $5, $5, array_remove(array[$5::uuid], null), $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      on conflict (application_id, idempotency_key) where idempotency_key is not null do nothing`,
    [
      batch.applicationId,
      batch.batchId,
      batch.name,
      batch.type,
      isPerson ? madeBy : null,
      batch.fileName,
      batch.fileSha256,
      batch.state,
      batch.rowCount,
      JSON.stringify(batch.reading),
      JSON.stringify(batch.headers),
      batch.columns === null ? null : JSON.stringify(batch.columns),
      batch.defaultOperator,
      ...(isPerson ? [null, null, null] : [madeBy.apiUserId, madeBy.key, madeBy.webhookUrl]),
    ],
  )
  return rowCount === 1
}

/** The batch that a program made with this key, and the digest of what it sent. */
export async function findByKey(
  queryable: Queryable,
  applicationId: string,
  key: string,
): Promise<{ batchId: string; digest: Buffer } | undefined> {
  const { rows } = await queryable.query<{ batchId: string; digest: Buffer }>(
    'select batch_id as "batchId", file_sha256 as digest from batches where application_id = $1 and idempotency_key = $2',
    [applicationId, key],
  )
  return rows[0]
}

/** Reads a batch and locks it until the end of the database transaction, so that two people change it one after the other. */
export async function lockBatch(trx: TrxClient, applicationId: string, batchId: string): Promise<Batch | undefined> {
  const { rows } = await trx.query<Batch>(
    `select ${BATCH_COLUMNS} from batches b where b.application_id = $1 and b.batch_id = $2 for update`,
    [applicationId, batchId],
  )
  return rows[0]
}

/**
 * Counts the rows again and stores counts, sums and the digest of what would be submitted. The last statement of every change; one that
 * may be sent twice is known by `changeDigest` until the next.
 */
export async function recountBatch(
  trx: TrxClient,
  applicationId: string,
  batchId: string,
  makerId: string | null,
  changeDigest: Buffer | null = null,
): Promise<void> {
  await trx.query(
    `with r as materialized (
       select operator, phone_forms[1] as phone, amount_minor, fee_minor, ${listTextColumns('b')}, exclusion is not null as is_excluded,
              problems = '[]' as is_right
         from batch_rows b where application_id = $1 and batch_id = $2
     ), ready as materialized (select * from r where is_right and not is_excluded
     ), sums as (
       select operator, count(*) as count, sum(amount_minor) as amount_minor, sum(fee_minor) as fee_minor from ready group by operator
     )
     update batches b set maker_id = $3, version = b.version + 1, change_digest = $4, changed_at = clock_timestamp(),
         prepared_by = case when $3::uuid is null or $3 = any (b.prepared_by) then b.prepared_by else b.prepared_by || $3::uuid end,
         ready_count = (select count(*) from ready),
         problem_count = (select count(*) from r where not is_right and not is_excluded),
         excluded_count = (select count(*) from r where is_excluded),
         sums = (select coalesce(jsonb_agg(jsonb_build_object('operator', s.operator, 'count', s.count, 'amountMinor', s.amount_minor::text,
                   'feeMinor', s.fee_minor::text) order by s.operator), '[]') from sums s),
         content_hash = (select sha256(convert_to(b.type || string_agg(concat_ws(E'\\x1f', r.operator, r.phone, r.amount_minor, ${listTextColumns('r')}), E'\\n'
                   order by r.operator collate "C", r.phone collate "C", r.amount_minor, ${listTextColumns('r', ' collate "C"')}), 'UTF8')) from ready r)
       where b.application_id = $1 and b.batch_id = $2`,
    [applicationId, batchId, makerId, changeDigest],
  )
}

export async function updateReading(
  trx: TrxClient,
  batch: Pick<Batch, 'applicationId' | 'batchId'> & {
    columns: BatchColumns | null
    defaultOperator: OperatorCode | null
    acceptedRepairs: readonly RepairKind[]
  },
): Promise<void> {
  await trx.query(
    `update batches set columns = $3, default_operator = $4, accepted_repairs = $5, state = 'draft' where application_id = $1 and batch_id = $2`,
    [batch.applicationId, batch.batchId, JSON.stringify(batch.columns), batch.defaultOperator, batch.acceptedRepairs],
  )
}

export async function updateState(
  trx: TrxClient,
  batch: { applicationId: string; batchId: string; state: BatchState; repeatsBatchId?: string | null; repeatReason?: string | null },
): Promise<void> {
  await trx.query(
    `update batches set state = $3, repeats_batch_id = coalesce($4, repeats_batch_id), repeat_reason = coalesce($5, repeat_reason),
        version = version + 1, changed_at = clock_timestamp(), leased_until = null,
        submitted_at = case when $3 = 'submitting' then clock_timestamp() else submitted_at end
      where application_id = $1 and batch_id = $2`,
    [batch.applicationId, batch.batchId, batch.state, batch.repeatsBatchId ?? null, batch.repeatReason ?? null],
  )
}

export async function removeRows(trx: TrxClient, applicationId: string, batchId: string): Promise<void> {
  await trx.query('delete from batch_rows where application_id = $1 and batch_id = $2', [applicationId, batchId])
}

/** The columns that a person assigned to a file with these headers. */
export async function findColumns(queryable: Queryable, applicationId: string, headerHash: Buffer): Promise<BatchColumns | undefined> {
  const { rows } = await queryable.query<{ columns: BatchColumns }>(
    'select columns from batch_columns where application_id = $1 and header_hash = $2',
    [applicationId, headerHash],
  )
  return rows[0]?.columns
}

export async function rememberColumns(
  trx: TrxClient,
  row: { applicationId: string; headerHash: Buffer; columns: BatchColumns; personId: string },
): Promise<void> {
  await trx.query(
    `insert into batch_columns (application_id, header_hash, columns, changed_by) values ($1, $2, $3, $4)
     on conflict (application_id, header_hash) do update set columns = excluded.columns, changed_by = excluded.changed_by,
       changed_at = clock_timestamp()`,
    [row.applicationId, row.headerHash, JSON.stringify(row.columns), row.personId],
  )
}

/** Holds, until the end of the database transaction, everybody else who submits the same payments in this application. */
export async function lockContent(trx: TrxClient, applicationId: string, contentHash: Buffer): Promise<void> {
  await trx.query("select pg_advisory_xact_lock(hashtextextended($1 || encode($2, 'hex'), 0))", [applicationId, contentHash])
}

/**
 * Claims one submitted batch whose rows are still to be started, for `leaseMs`. Undefined if there is none, or others work on all of
 * them. A lease that was not renewed ends, and another process continues. A locked row is waited for: it is locked for milliseconds,
 * and a batch that was skipped would wait for the next look.
 */
export async function claimSubmitting(queryable: Queryable, leaseMs: number): Promise<Batch | undefined> {
  const { rows } = await queryable.query<Batch>(
    `update batches b set leased_until = clock_timestamp() + $1 * interval '1 millisecond'
       from (select c.application_id, c.batch_id from batches c
              where c.state = 'submitting' and (c.leased_until is null or c.leased_until < clock_timestamp())
              order by c.submitted_at limit 1 for no key update) c
      where b.application_id = c.application_id and b.batch_id = c.batch_id
      returning ${BATCH_COLUMNS}`,
    [leaseMs],
  )
  return rows[0]
}

/** Lets others claim a batch after a pause. */
export async function releaseSubmitting(queryable: Queryable, applicationId: string, batchId: string, pauseMs: number): Promise<void> {
  await queryable.query(
    `update batches set leased_until = clock_timestamp() + $3 * interval '1 millisecond'
      where application_id = $1 and batch_id = $2 and state = 'submitting'`,
    [applicationId, batchId, pauseMs],
  )
}

/** Counts rows that were started, and renews the lease. */
export async function addStarted(
  trx: TrxClient,
  batch: { applicationId: string; batchId: string; started: number; leaseMs: number },
): Promise<void> {
  await trx.query(
    `update batches set started_count = started_count + $3, leased_until = clock_timestamp() + $4 * interval '1 millisecond'
      where application_id = $1 and batch_id = $2`,
    [batch.applicationId, batch.batchId, batch.started, batch.leaseMs],
  )
}

/** The newest submitted batch with the same payments. */
export async function findSubmittedTwin(
  queryable: Queryable,
  applicationId: string,
  contentHash: Buffer,
  exceptBatchId: string,
): Promise<{ batchId: string; name: string; submittedAt: Date; makerName: string } | undefined> {
  const { rows } = await queryable.query<{ batchId: string; name: string; submittedAt: Date; makerName: string }>(
    `select b.batch_id as "batchId", b.name, b.submitted_at as "submittedAt",
         maker_name_of(b.application_id, b.maker_id, b.api_user_id) as "makerName"
       from batches b
      where b.application_id = $1 and b.content_hash = $2 and b.batch_id <> $3 and b.submitted_at is not null
      order by b.submitted_at desc limit 1`,
    [applicationId, contentHash, exceptBatchId],
  )
  return rows[0]
}

/** Has a batch wait from its submission until an instant within 30 days. False, with nothing stored, if the instant is another one. */
export async function insertRelease(
  trx: TrxClient,
  release: { applicationId: string; batchId: string; personId: string; releaseAt: Date },
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into batch_runs (application_id, batch_id, state, changed_by, release_at, is_timed)
     select $1, $2, 'paused', $3, $4::timestamptz, true
     where $4::timestamptz > clock_timestamp() and $4::timestamptz <= clock_timestamp() + $5 * interval '1 day'`,
    [release.applicationId, release.batchId, release.personId, release.releaseAt, RELEASE_DAYS_MAX],
  )
  return rowCount === 1
}
