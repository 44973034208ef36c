import type { Queryable } from '#server/database/pool.ts'

/** Batches whose name contains the text, or whose id lies between two UUIDs: for the search box. */
export async function suggestBatches(
  queryable: Queryable,
  applicationId: string,
  typed: { text: string; range: { low: string; high: string } | undefined },
  limit: number,
): Promise<{ batchId: string; name: string }[]> {
  const { rows } = await queryable.query<{ batchId: string; name: string }>(
    `select batch_id as "batchId", name from batches
      where application_id = $1 and state <> 'discarded' and (name ilike $2 or ($3::uuid is not null and batch_id between $3 and $4))
      order by created_at desc limit $5`,
    [applicationId, `%${typed.text.replace(/[\\%_]/g, '\\$&')}%`, typed.range?.low ?? null, typed.range?.high ?? null, limit],
  )
  return rows
}
