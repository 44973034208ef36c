import type { Queryable } from '#server/database/pool.ts'

/** Runs a trivial query. Throws if the database does not respond. */
export async function pingDatabase(queryable: Queryable): Promise<void> {
  await queryable.query('select 1')
}
