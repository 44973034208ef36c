import type { TrxClient } from './pool.ts'

/**
 * The release of the schema. `number` rises with each release that changes a function or a table; `compatibleFrom` is the oldest release
 * whose processes may still run beside it, while they are replaced. Rise it as well when those would fail or write something wrong.
 */
export type Release = { number: number; compatibleFrom: number }

export const RELEASE: Release = { number: 1, compatibleFrom: 1 }

/**
 * Stores which release the database belongs to, before anything of it is applied. Returns false if a newer release is stored beside which
 * this one may run: then it must change nothing. Throws an Error with one sentence if this one may not. Called under the migration lock.
 */
export async function claimRelease(trx: TrxClient, { number, compatibleFrom }: Release): Promise<boolean> {
  await trx.query(`create table if not exists schema_release
    (is_only boolean primary key default true check (is_only), number integer not null, compatible_from integer not null)`)
  const { rows } = await trx.query<{ number: number; compatible_from: number }>('select number, compatible_from from schema_release')
  const [stored] = rows
  if (stored && stored.number > number) {
    if (number >= stored.compatible_from) return false
    throw new Error(
      `This database belongs to release ${stored.number} of Countersign, and this process is release ${number}: start release ${stored.compatible_from} or newer.`,
    )
  }
  if (stored?.number === number && stored.compatible_from === compatibleFrom) return true
  await trx.query(
    `insert into schema_release (number, compatible_from) values ($1, $2)
       on conflict (is_only) do update set number = excluded.number, compatible_from = excluded.compatible_from`,
    [number, compatibleFrom],
  )
  return true
}

/** Throws an Error with one sentence if migrations were applied that this release does not have. Called under the migration lock. */
export async function refuseUnknownMigrations(trx: TrxClient, known: readonly string[]): Promise<void> {
  const { rows } = await trx.query<{ name: string }>('select name from schema_migrations where name <> all ($1) order by name', [known])
  if (rows.length === 0) return
  throw new Error(
    `This database has migrations that this release of Countersign does not know (${rows[0]?.name}${rows.length > 1 ? `, ${rows.length} in all` : ''}): start the release that applied them, or a newer one.`,
  )
}
