import { chown, copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'

/** Written each time the server starts, or only of use to the server that was copied. */
const NOT_COPIED = new Set(['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf', 'standby.signal', 'backup_label'])
/** Folders that a new server needs empty: it reads the log from the other one, or from an archive. */
const COPIED_EMPTY = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])

/**
 * Copies a running server to a new data folder: what pg_basebackup does, which the embedded PostgreSQL does not have. The password is copied to
 * where a start looks for it.
 */
export async function copyPostgres(from: { url: string; dataDirectory: string }, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: from.url, application_name: 'copy' })
  await client.connect()
  try {
    await client.query("select pg_backup_start('copy', fast => true)")
    await copyFolder(from.dataDirectory, to)
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(wait_for_archive => false)')
    await addFiles(to, { backup_label: rows[0]?.labelfile ?? '' })
    await copyOwned(`${from.dataDirectory}.password`, `${to}.password`)
  } finally {
    await client.end()
  }
}

/** Writes files into a data folder, for the user of its server. */
export async function addFiles(dataDirectory: string, files: Readonly<Record<string, string>>): Promise<void> {
  const { uid, gid } = await stat(dataDirectory)
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(dataDirectory, name), text, { mode: 0o600 })
    await chown(path.join(dataDirectory, name), uid, gid)
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  const { mode, uid, gid } = await stat(from)
  await mkdir(to, { mode })
  await chown(to, uid, gid)
  if (COPIED_EMPTY.has(path.basename(from))) return
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (NOT_COPIED.has(entry.name) || entry.name.startsWith('pgsql_tmp')) continue
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target)
    else await copyOwned(source, target).catch(expectRemoved)
  }
}

async function copyOwned(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const { uid, gid } = await stat(from)
  await chown(to, uid, gid)
}

/** A running server removes files; what it removed is in its log. */
function expectRemoved(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
