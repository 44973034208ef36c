import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Pool, TrxClient } from './pool.ts'

const MIGRATIONS_URL = new URL('./migrations/', import.meta.url)
/** Any constant: every process of this product takes the same lock. */
const LOCK_KEY = 7_304_114_802

/**
 * Applies the SQL files of migrations/ that this database has not seen, in order of their names, each in a transaction
 * of its own. Safe when several processes start at once: the lock lasts as long as each transaction, which also holds
 * behind PgBouncer. Throws when an applied file was edited afterwards. Returns the names it applied.
 */
export async function migrate(pool: Pool): Promise<string[]> {
  const names = (await readdir(MIGRATIONS_URL)).filter((name) => name.endsWith('.sql')).sort()
  const applied: string[] = []
  for (const name of names) {
    const sql = await readFile(new URL(name, MIGRATIONS_URL), 'utf8')
    if (await applyOnce(pool, name, sql)) applied.push(name)
  }
  return applied
}

async function applyOnce(pool: Pool, name: string, sql: string): Promise<boolean> {
  const trx = await pool.connect()
  let broken: Error | undefined
  try {
    await trx.query('begin')
    await trx.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    const isNew = await claim(trx, name, createHash('sha256').update(sql).digest('hex'))
    if (isNew) await trx.query(sql)
    await trx.query('commit')
    return isNew
  } catch (error) {
    await trx.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw new Error(`Migration ${name} could not be applied`, { cause: error })
  } finally {
    trx.release(broken)
  }
}

async function claim(trx: TrxClient, name: string, digest: string): Promise<boolean> {
  await trx.query(`create table if not exists schema_migrations
    (name text primary key, digest text not null, applied_at timestamptz not null default now())`)
  const { rows } = await trx.query<{ digest: string }>('select digest from schema_migrations where name = $1', [name])
  const known = rows[0]
  if (!known) {
    await trx.query('insert into schema_migrations (name, digest) values ($1, $2)', [name, digest])
    return true
  }
  if (known.digest !== digest) throw new Error(`${name} was edited after it had been applied; write a new migration instead`)
  return false
}
