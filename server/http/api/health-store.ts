import type { Queryable } from '#server/database/pool.ts'

/** Asks the database anything at all. Throws when it does not answer. */
export async function pingDatabase(queryable: Queryable): Promise<void> {
  await queryable.query('select 1')
}
