import type { Pool } from '#server/database/pool.ts'

type Key = { applicationId: string; transactionId: string }

/**
 * Copies a transaction with its operator work and attempts into another application, under the same transaction id, so that a statement that
 * forgets the application changes or reads the copy too. Returns its key.
 */
export async function addTwin(pool: Pool, { applicationId, transactionId }: Key, twinApplicationId: string): Promise<Key> {
  for (const table of ['transactions', 'operator_work', 'operator_attempts']) {
    const { rows } = await pool.query<{ columns: string }>(
      `select string_agg(attname, ', ') as columns from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> 'application_id'`,
      [table],
    )
    const columns = rows[0]?.columns
    await pool.query(
      `insert into ${table} (application_id, ${columns}) select $3, ${columns} from ${table} where application_id = $1 and transaction_id = $2`,
      [applicationId, transactionId, twinApplicationId],
    )
  }
  return { applicationId: twinApplicationId, transactionId }
}
