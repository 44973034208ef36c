import type { Pool } from '#server/database/pool.ts'
import type { SentFile } from './files.ts'
import { judge, type Verdict } from './judge.ts'

type StoredBatch = {
  batch_id: string
  state: string
  transactions: number
  distinct_rows: number
  unlinked: number
  foreign_rows: number
  decided: number
  moved: number
}

/** Checks what must hold for every file of a maker, regardless of which process was killed while it was checked, submitted, decided or sent. */
export async function checkFiles(pool: Pool, files: readonly SentFile[]): Promise<Verdict[]> {
  const stored = await readBatches(
    pool,
    files.map((file) => file.batchId),
  )
  return [
    judge('a file whose upload was answered is stored', files, (file) =>
      stored.has(file.batchId) ? undefined : `${file.batchId} is lost`,
    ),
    judge(
      'each row of a submitted file is one transaction, none is lost and none is there twice',
      files.filter((file) => file.isSubmitted),
      (file) => checkRows(file, stored.get(file.batchId)),
    ),
    judge(
      'a file that was not submitted moved nothing',
      files.filter((file) => !file.isSubmitted && stored.get(file.batchId)?.state === 'draft'),
      ({ batchId }) => (stored.get(batchId)?.transactions === 0 ? undefined : `${batchId} is a draft with transactions`),
    ),
    judge(
      'a decision about a file that was answered is recorded once for each row, and each row went on',
      files.filter((file) => file.isDecided),
      (file) => checkDecided(file, stored.get(file.batchId)),
    ),
  ]
}

function checkRows({ batchId, rows }: SentFile, stored: StoredBatch | undefined): string | undefined {
  const isRight =
    stored?.state === 'submitted' &&
    stored.transactions === rows.length &&
    stored.distinct_rows === rows.length &&
    stored.unlinked === 0 &&
    stored.foreign_rows === 0
  return isRight ? undefined : `${batchId} with ${rows.length} rows: ${JSON.stringify(stored)}`
}

function checkDecided({ batchId, rows }: SentFile, stored: StoredBatch | undefined): string | undefined {
  const isRight = stored?.decided === rows.length && stored.moved === rows.length
  return isRight ? undefined : `${batchId} with ${rows.length} rows was decided: ${JSON.stringify(stored)}`
}

async function readBatches(pool: Pool, batchIds: readonly string[]): Promise<Map<string, StoredBatch>> {
  const { rows } = await pool.query<StoredBatch>(
    `select b.batch_id, b.state, count(t.transaction_id)::integer as transactions, count(distinct t.external_id)::integer as distinct_rows,
            (select count(*)::integer from batch_rows r where r.batch_id = b.batch_id and r.transaction_id is null) as unlinked,
            count(*) filter (where t.transaction_id is not null and r.row_number is null)::integer as foreign_rows,
            coalesce(sum((select count(*) from approval_decisions d
                           where d.application_id = t.application_id and d.transaction_id = t.transaction_id)), 0)::integer as decided,
            count(*) filter (where t.status <> 'PENDING_APPROVAL')::integer as moved
       from batches b
       left join transactions t on t.application_id = b.application_id and t.batch_id = b.batch_id
       left join batch_rows r on r.application_id = t.application_id and r.batch_id = t.batch_id and r.transaction_id = t.transaction_id
                             and r.external_id = t.external_id
       where b.batch_id = any ($1) group by b.application_id, b.batch_id`,
    [batchIds],
  )
  return new Map(rows.map((row) => [row.batch_id, row]))
}
