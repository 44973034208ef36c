import type { Queryable } from '#server/database/pool.ts'

/** A process of the service, as it reports itself. */
export type ReportedProcess = {
  processId: string
  role: 'all' | 'web' | 'worker' | 'parent'
  host: string
  pid: number
  release: number
}

export type BackupNote = { kind: 'backup' | 'restore_test'; happenedAt: Date; note: string }

/** Stores that this process runs, and removes those that have been silent for ten minutes. */
export async function upsertProcess(queryable: Queryable, { processId, role, host, pid, release }: ReportedProcess): Promise<void> {
  await queryable.query({
    name: 'upsert_process',
    text: `with lost as (delete from processes where seen_at < now() - interval '10 minutes' and process_id <> $1)
      insert into processes (process_id, role, host, pid, release, started_at, seen_at) values ($1, $2, $3, $4, $5, now(), now())
        on conflict (process_id) do update set seen_at = now()`,
    values: [processId, role, host, pid, release],
  })
}

/** Removes a process that ends. */
export async function deleteProcess(queryable: Queryable, processId: string): Promise<void> {
  await queryable.query('delete from processes where process_id = $1', [processId])
}

/** Stores when a backup or a restore test was made, unless a later one is stored. Returns whether it is the last now. */
export async function upsertBackupNote(queryable: Queryable, { kind, happenedAt, note }: BackupNote): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `insert into backup_notes (kind, happened_at, note) values ($1, $2, $3)
       on conflict (kind) do update set happened_at = excluded.happened_at, note = excluded.note
         where backup_notes.happened_at <= excluded.happened_at`,
    [kind, happenedAt, note],
  )
  return rowCount === 1
}
