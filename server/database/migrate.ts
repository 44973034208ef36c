import { createHash } from 'node:crypto'
import { glob, readdir, readFile } from 'node:fs/promises'
import type { Pool, TrxClient } from './pool.ts'

const MIGRATIONS_URL = new URL('./migrations/', import.meta.url)
const SERVER_URL = new URL('../', import.meta.url)
/** Any constant: every process of this product takes the same lock. */
const LOCK_KEY = 7_304_114_802

/**
 * Brings the schema up to date: the tables with the files of migrations/ that this database has not seen, in order of
 * their names, then the functions with the files of `server/<folder>/sql/` whose content has changed. Each file has a
 * transaction of its own. Safe when several processes start at once: the lock lasts as long as each transaction, which
 * also holds behind PgBouncer. Throws when an applied migration was edited afterwards. Returns the names of the
 * migrations and the paths of the functions that it applied.
 */
export async function migrate(pool: Pool): Promise<string[]> {
  const applied: string[] = []
  for (const name of (await readdir(MIGRATIONS_URL)).filter((entry) => entry.endsWith('.sql')).sort()) {
    const sql = await readFile(new URL(name, MIGRATIONS_URL), 'utf8')
    if (await applyLocked(pool, `Migration ${name}`, (trx) => applyMigration(trx, name, sql))) applied.push(name)
  }
  for (const file of await functionFiles()) {
    const sql = await readFile(new URL(file, SERVER_URL), 'utf8')
    if (await applyLocked(pool, `Function ${file}`, (trx) => applyFunction(trx, file, sql))) applied.push(file)
  }
  return applied
}

/** The repeatable files, one function each, relative to server/ and in order of their paths. */
export async function functionFiles(): Promise<string[]> {
  const files = await Array.fromAsync(glob('*/sql/*.sql', { cwd: SERVER_URL }))
  return files.sort()
}

/** Runs `apply` in a transaction under the lock. Throws an Error that names `what` when it fails. */
async function applyLocked(pool: Pool, what: string, apply: (trx: TrxClient) => Promise<boolean>): Promise<boolean> {
  const trx = await pool.connect()
  let broken: Error | undefined
  try {
    await trx.query('begin')
    await trx.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    const isApplied = await apply(trx)
    await trx.query('commit')
    return isApplied
  } catch (error) {
    await trx.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw new Error(`${what} could not be applied`, { cause: error })
  } finally {
    trx.release(broken)
  }
}

/** Applies a migration once for all time. */
async function applyMigration(trx: TrxClient, name: string, sql: string): Promise<boolean> {
  await trx.query(`create table if not exists schema_migrations
    (name text primary key, digest text not null, applied_at timestamptz not null default now())`)
  const digest = digestOf(sql)
  const known = await readDigest(trx, 'select digest from schema_migrations where name = $1', name)
  if (known === undefined) {
    await trx.query('insert into schema_migrations (name, digest) values ($1, $2)', [name, digest])
    await trx.query(sql)
    return true
  }
  if (known !== digest) throw new Error(`${name} was edited after it had been applied; write a new migration instead`)
  return false
}

/** Applies a function file whenever its content differs from what was applied last. */
async function applyFunction(trx: TrxClient, file: string, sql: string): Promise<boolean> {
  await trx.query(`create table if not exists schema_functions
    (file text primary key, digest text not null, applied_at timestamptz not null default now())`)
  const digest = digestOf(sql)
  if ((await readDigest(trx, 'select digest from schema_functions where file = $1', file)) === digest) return false
  await trx.query(
    `insert into schema_functions (file, digest) values ($1, $2)
       on conflict (file) do update set digest = excluded.digest, applied_at = excluded.applied_at`,
    [file, digest],
  )
  await trx.query(sql)
  return true
}

async function readDigest(trx: TrxClient, statement: string, name: string): Promise<string | undefined> {
  const { rows } = await trx.query<{ digest: string }>(statement, [name])
  return rows[0]?.digest
}

function digestOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex')
}
