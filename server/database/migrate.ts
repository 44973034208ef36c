import { createHash } from 'node:crypto'
import { glob, readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, TrxClient } from './pool.ts'
import { claimRelease, RELEASE, type Release, refuseUnknownMigrations } from './release.ts'

const MIGRATIONS_URL = new URL('./migrations/', import.meta.url)
const SERVER_URL = new URL('../', import.meta.url)
/** Any constant: every process of this product takes the same lock. */
const LOCK_KEY = 7_304_114_802

/**
 * How long a file waits for the lock of a table. Statements that need the table meanwhile queue behind it, intake included, so
 * the wait is short and repeated, with pauses that let them through.
 */
const LOCK_TIMEOUT_MS = 1_000
const LOCK_PAUSE_MS = 3_000
const LOCK_LIMIT_MS = 5 * 60_000

export type MigrateOptions = {
  /** Called with a sentence when a file waits for another transaction. */
  onWait?: (message: string) => void
  /** Default: that of this source. */
  release?: Release
  /** How long to try in all before giving up. */
  lockLimitMs?: number
  lockPauseMs?: number
}

/**
 * Brings the schema up to date: the tables with the files of migrations/ that this database has not seen, in order of
 * their names, then the functions with the files of `server/<folder>/sql/` whose content has changed. Each file has a
 * transaction of its own. Safe when several processes start at once: the lock lasts as long as each transaction, which
 * also holds behind PgBouncer. A table that another transaction holds is retried, without blocking
 * the others that need it. A database that a newer release keeps is left as it is. Throws when this release may not run on it, when that takes too long, and when an applied migration was edited afterwards. Returns
 * the names of the migrations and the paths of the functions that it applied.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  const applied: string[] = []
  const { release = RELEASE } = options
  const names = await migrationFiles()
  if (!(await applyPatiently(pool, 'This release', options, (trx) => begin(trx, release, names)))) return applied
  for (const name of names) {
    const sql = await readFile(new URL(name, MIGRATIONS_URL), 'utf8')
    if (await applyMigrationFile(pool, name, sql, options)) applied.push(name)
  }
  for (const file of await functionFiles()) {
    const sql = await readFile(new URL(file, SERVER_URL), 'utf8')
    const apply = async (trx: TrxClient) => (await claimRelease(trx, release)) && applyFunction(trx, file, sql)
    if (await applyPatiently(pool, `Function ${file}`, options, apply)) applied.push(file)
  }
  return applied
}

/** Returns false if a newer release keeps the schema. Throws an Error if this one may not run on it. */
async function begin(trx: TrxClient, release: Release, names: readonly string[]): Promise<boolean> {
  if (!(await claimRelease(trx, release))) return false
  await trx.query(`create table if not exists schema_migrations
    (name text primary key, digest text not null, applied_at timestamptz not null default now())`)
  await refuseUnknownMigrations(trx, names)
  return true
}

/** Applies a migration in a transaction, or builds its index outside one if it says so. Returns false if it was applied before. */
export async function applyMigrationFile(pool: Pool, name: string, sql: string, options: MigrateOptions = {}): Promise<boolean> {
  const index = concurrentIndexOf(sql)
  const isApplied = (trx: TrxClient) => checkDigest(trx, name, digestOf(sql))
  if (index === undefined) return applyPatiently(pool, `Migration ${name}`, options, (trx) => applyMigration(trx, name, sql))
  if (await applyPatiently(pool, `Migration ${name}`, options, isApplied)) return false
  await buildIndex(pool, index, sql)
  return applyPatiently(
    pool,
    `Migration ${name}`,
    options,
    async (trx) => !(await isApplied(trx)) && (await recordMigration(trx, name, sql)),
  )
}

/** The digest of each migration, by its name, and of each function, by its path. */
export async function readSchemaFiles(): Promise<Record<string, string>> {
  const migrations = (await migrationFiles()).map((name) => [name, new URL(name, MIGRATIONS_URL)] as const)
  const functions = (await functionFiles()).map((file) => [file, new URL(file, SERVER_URL)] as const)
  const read = [...migrations, ...functions].map(async ([file, url]) => [file, digestOf(await readFile(url, 'utf8'))] as const)
  return Object.fromEntries(await Promise.all(read))
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(MIGRATIONS_URL)).filter((entry) => entry.endsWith('.sql')).sort()
}

/** The repeatable files, one function each, relative to server/ and in order of their paths. */
export async function functionFiles(): Promise<string[]> {
  const files = await Array.fromAsync(glob('*/sql/*.sql', { cwd: SERVER_URL }))
  return files.sort()
}

/** Runs `apply` in a transaction under the lock, and again after a pause when a table was held for too long. */
export async function applyPatiently(
  pool: Pool,
  what: string,
  options: MigrateOptions,
  apply: (trx: TrxClient) => Promise<boolean>,
): Promise<boolean> {
  const { onWait = () => undefined, lockLimitMs = LOCK_LIMIT_MS, lockPauseMs = LOCK_PAUSE_MS } = options
  const endsAtMs = performance.now() + lockLimitMs
  for (;;) {
    try {
      return await applyLocked(pool, what, apply)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      const holder = await describeOldestTransaction(pool)
      if (performance.now() > endsAtMs) {
        throw new Error(`${what} could not be applied: a table that it changes is in use. ${holder} End it, or start again later.`)
      }
      onWait(`${what} waits for a table that is in use. ${holder}`)
      await delay(lockPauseMs)
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === '55P03'
}

/** A sentence about the transaction that has been open longest: most likely the one that holds the table. */
async function describeOldestTransaction(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ pid: number; name: string; seconds: number }>(
    `select pid, application_name as name, extract(epoch from now() - xact_start)::int as seconds from pg_stat_activity
       where datname = current_database() and xact_start is not null and pid <> pg_backend_pid() order by xact_start limit 1`,
  )
  const [oldest] = rows
  if (!oldest) return 'Its transaction has just ended.'
  return `The longest open transaction is that of "${oldest.name}" (PostgreSQL process ${oldest.pid}, ${oldest.seconds} s).`
}

/** Runs `apply` in a transaction under the lock. Throws an Error that names `what` when it fails. */
async function applyLocked(pool: Pool, what: string, apply: (trx: TrxClient) => Promise<boolean>): Promise<boolean> {
  const trx = await pool.connect()
  let broken: Error | undefined
  try {
    await trx.query('begin')
    // Waiting for another process that migrates delays no other work, so this lock has no time limit.
    await trx.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    await trx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
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
  if (await checkDigest(trx, name, digestOf(sql))) return false
  await recordMigration(trx, name, sql)
  await trx.query(sql)
  return true
}

/** Whether the migration was applied. Throws an Error if it was edited afterwards. */
async function checkDigest(trx: TrxClient, name: string, digest: string): Promise<boolean> {
  const known = await readDigest(trx, 'select digest from schema_migrations where name = $1', name)
  if (known !== undefined && known !== digest)
    throw new Error(
      `${name} was edited after it had been applied. A released file is never edited: write a new one. Before the first release: start with a new database.`,
    )
  return known !== undefined
}

async function recordMigration(trx: TrxClient, name: string, sql: string): Promise<true> {
  await trx.query('insert into schema_migrations (name, digest) values ($1, $2)', [name, digestOf(sql)])
  return true
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

/** The first line of a migration that runs outside a transaction. */
const MARKER = '-- concurrently\n'
const STATEMENT = /^create (?:unique )?index concurrently (\w+) on [^;]+;\s*$/
/** Another process has created an index of this name meanwhile. */
const DUPLICATE_TABLE = '42P07'
const PAUSE_MS = 1_000

type IndexState = 'absent' | 'building' | 'broken off' | 'valid'

/**
 * The name of the index if the migration is one statement `create index concurrently`, which its first line says; otherwise undefined.
 * Throws an Error for a marked migration that is anything else: what runs outside a transaction must be repeatable.
 */
function concurrentIndexOf(sql: string): string | undefined {
  if (!sql.startsWith(MARKER)) return undefined
  const index = STATEMENT.exec(sql.slice(MARKER.length))?.[1]
  if (index === undefined)
    throw new Error('A migration that begins with "-- concurrently" must be one statement: create index concurrently')
  return index
}

/**
 * Builds the index while others write. A build that was broken off leaves an invalid index, which is removed first. A build of another
 * process is waited for, without a lock: PostgreSQL waits for every open transaction before it completes an index, also for one that would
 * wait for such a lock.
 */
async function buildIndex(pool: Pool, index: string, sql: string): Promise<void> {
  for (;;) {
    const state = await readState(pool, index)
    if (state === 'valid') return
    if (state === 'broken off') await pool.query(`drop index concurrently if exists ${index}`)
    if (state === 'building') await delay(PAUSE_MS)
    else await pool.query(sql).catch(expectDuplicate)
  }
}

function expectDuplicate(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === DUPLICATE_TABLE)) throw error
}

async function readState(pool: Pool, index: string): Promise<IndexState> {
  const { rows } = await pool.query<{ state: IndexState }>(
    `select case when i.indisvalid then 'valid' when p.pid is not null then 'building' else 'broken off' end as state
       from pg_index i left join pg_stat_progress_create_index p on p.index_relid = i.indexrelid
       where i.indexrelid = to_regclass($1)`,
    [index],
  )
  return rows[0]?.state ?? 'absent'
}
