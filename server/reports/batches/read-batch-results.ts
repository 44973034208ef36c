import type { Queryable } from '#server/database/pool.ts'
import { type BatchResult, selectResults } from './batch-run-store.ts'

const PART = 1_000

/** Returns the result of each row of a batch, in the order of the file, in parts. */
export async function* readBatchResults(queryable: Queryable, applicationId: string, batchId: string): AsyncGenerator<BatchResult[]> {
  for (let after = 0n; ; ) {
    const part = await selectResults(queryable, { applicationId, batchId, after, limit: PART })
    const last = part.at(-1)
    if (!last) return
    yield part
    after = last.sequence
  }
}
