import type { Queryable } from '#server/database/pool.ts'

/** The newest submitted batch with the same payments. */
export async function findSubmittedTwin(
  queryable: Queryable,
  applicationId: string,
  contentHash: Buffer,
  exceptBatchId: string,
): Promise<{ batchId: string; name: string; submittedAt: Date; makerName: string } | undefined> {
  const { rows } = await queryable.query<{ batchId: string; name: string; submittedAt: Date; makerName: string }>(
    `select b.batch_id as "batchId", b.name, b.submitted_at as "submittedAt", p.name as "makerName"
       from batches b join people p on p.person_id = b.maker_id
      where b.application_id = $1 and b.content_hash = $2 and b.batch_id <> $3 and b.submitted_at is not null
      order by b.submitted_at desc limit 1`,
    [applicationId, contentHash, exceptBatchId],
  )
  return rows[0]
}
