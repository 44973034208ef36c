import type { Queryable } from '#server/database/pool.ts'

/** Commits one row. Throws if the database does not respond, is a standby, or waits for one that is lost. */
export async function writeReadiness(queryable: Queryable): Promise<void> {
  await queryable.query('update readiness set written_at = now()')
}
