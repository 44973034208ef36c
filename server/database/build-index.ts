import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from './pool.ts'

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
export function concurrentIndexOf(sql: string): string | undefined {
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
export async function buildIndex(pool: Pool, index: string, sql: string): Promise<void> {
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
