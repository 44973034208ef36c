import type { Pool } from '#server/database/pool.ts'

type Subject = { applicationId: string; transactionId: string }

/**
 * Records what an operator says against the status of a transaction, after what it has said before: the opposite if `said` is left out. The first is its
 * own report, and the others are answers to queries.
 */
export async function contradict(
  pool: Pool,
  { applicationId, transactionId }: Subject,
  storedStatus: 'SUCCESS' | 'FAILED' = 'FAILED',
  said: readonly ('succeeded' | 'failed' | 'unknown')[] = [storedStatus === 'FAILED' ? 'succeeded' : 'failed'],
): Promise<void> {
  await pool.query(
    `insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, answer, at)
     select $1, $2, o.before + s.place, case when o.before + s.place = 1 then 'callback' else 'query' end, s.said, $3, '', clock_timestamp()
       from unnest($4::text[]) with ordinality as s (said, place)
      cross join (select count(*) as before from operator_contradictions where application_id = $1 and transaction_id = $2) o`,
    [applicationId, transactionId, storedStatus, said],
  )
}
