import { ok } from '#lib/result.ts'
import type { Pool, Queryable } from '../pool.ts'
import { withTransaction } from '../with-transaction.ts'

/** The use of a database: play money with a simulator, or real money at real operators. */
export type DatabaseMode = 'sandbox' | 'production'

/**
 * Refuses a database of the other mode: a sandbox process would let its simulator confirm transfers that were never paid.
 * Called before the migrations, so that a process that does not belong here changes nothing. Throws an Error whose message
 * says what to do. A database without a stamp belongs to the first process that stamps it.
 */
export async function requireDatabaseMode(queryable: Queryable, mode: DatabaseMode): Promise<void> {
  const actual = await readStampedMode(queryable)
  if (actual !== undefined && actual !== mode) throw new Error(explainMismatch(actual))
}

/** Stamps a migrated database that has no stamp yet. Throws like `requireDatabaseMode` when it belongs to the other mode. */
export async function stampDatabase(pool: Pool, mode: DatabaseMode): Promise<void> {
  await withTransaction<void, never>(pool, async (trx) => {
    // Two first starts in different modes: the second one waits here and then finds the stamp of the first.
    await trx.query('select pg_advisory_xact_lock(7304114806)')
    await requireDatabaseMode(trx, mode)
    await trx.query('insert into installation (mode) values ($1) on conflict do nothing', [mode])
    return ok(undefined)
  })
}

/** The stamp; undefined for a database without one, or without our tables. */
export async function readStampedMode(queryable: Queryable): Promise<DatabaseMode | undefined> {
  if (!(await hasTable(queryable, 'installation'))) return undefined
  const { rows } = await queryable.query<{ mode: DatabaseMode }>('select mode from installation')
  return rows[0]?.mode
}

/** True for a database that has none of our tables. */
export async function isEmptyDatabase(queryable: Queryable): Promise<boolean> {
  return !(await hasTable(queryable, 'applications'))
}

async function hasTable(queryable: Queryable, name: string): Promise<boolean> {
  const { rows } = await queryable.query<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [name])
  return rows[0]?.is_there ?? false
}

function explainMismatch(actual: DatabaseMode): string {
  return actual === 'production'
    ? 'This database belongs to production and this process is a sandbox: start it with NODE_ENV=production and without SANDBOX=1, or use a separate database for the sandbox.'
    : 'This database belongs to a sandbox and this process is production: use a separate database for production, or start this process with SANDBOX=1.'
}
