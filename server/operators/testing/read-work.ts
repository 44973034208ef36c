import type { Pool } from '#server/database/pool.ts'

type Key = { applicationId: string; transactionId: string }

export async function readWork(pool: Pool, { applicationId, transactionId }: Key): Promise<Record<string, unknown> | undefined> {
  const { rows } = await pool.query('select * from operator_work where application_id = $1 and transaction_id = $2', [
    applicationId,
    transactionId,
  ])
  return rows[0]
}

/** The attempts of a transaction in order, each as `kind outcome`. */
export async function readAttempts(pool: Pool, { applicationId, transactionId }: Key): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string; outcome: string | null }>(
    'select kind, outcome from operator_attempts where application_id = $1 and transaction_id = $2 order by number',
    [applicationId, transactionId],
  )
  return rows.map((row) => `${row.kind} ${row.outcome}`)
}
