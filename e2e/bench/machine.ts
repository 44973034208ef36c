import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import type { Pool } from '#server/database/pool.ts'

/** Properties of the machine that a figure depends on. */
export type Machine = Record<string, string>

const SETTINGS = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
  'max_wal_size',
  'wal_compression',
]

/** Machine, versions, and the settings of PostgreSQL that durability and speed hang on. */
export async function describeMachine(pool: Pool): Promise<Machine> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    'select s.name, current_setting(s.name) as setting from unnest($1::text[]) as s (name)',
    [SETTINGS],
  )
  const postgres = Object.fromEntries(rows.map((row) => [row.name, row.setting]))
  const { server_version: version = '', ...settings } = postgres
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: String(cpus().length),
    memory: `${Math.round(totalmem() / 1024 ** 3)} GB`,
    node: process.version,
    postgresql: version,
    settings: Object.entries(settings)
      .map(([name, setting]) => `${name}=${setting}`)
      .join(' '),
    commit: gitCommit(),
  }
}

/** "unknown" outside a git checkout; a plus sign where files differ from the commit. */
function gitCommit(): string {
  try {
    const read = (...args: string[]) =>
      execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    return `${read('rev-parse', '--short', 'HEAD')}${read('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+'}`
  } catch {
    return 'unknown'
  }
}
