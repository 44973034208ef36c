import type { Pool } from '#server/database/pool.ts'

type Key = { applicationId: string; transactionId: string }

/** Everything recorded against a transaction, each as `number source said stored`. */
export async function readContradictions(pool: Pool, { applicationId, transactionId }: Key): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `select concat_ws(' ', number, source, said, stored_status) as text from operator_contradictions
       where application_id = $1 and transaction_id = $2 order by number`,
    [applicationId, transactionId],
  )
  return rows.map((row) => row.text)
}

/** The queries about a transaction that has ended, each as `kind tries`, with the minutes until it is due. */
export async function readEndedQueries(pool: Pool, { applicationId, transactionId }: Key): Promise<{ text: string; inMinutes: number }[]> {
  const { rows } = await pool.query<{ text: string; inMinutes: number }>(
    `select concat_ws(' ', kind, tries) as text, round(extract(epoch from next_at - clock_timestamp()) / 60)::float8 as "inMinutes"
       from contradiction_queries where application_id = $1 and transaction_id = $2 and ended_at is null order by kind`,
    [applicationId, transactionId],
  )
  return rows
}

/** Makes every query about payments that have ended due now, as if the time until then had passed. */
export async function makeEndedQueriesDue(pool: Pool): Promise<void> {
  await pool.query('update contradiction_queries set next_at = clock_timestamp() where ended_at is null')
}
