import { type ProcessRole, WAITING_COUNT_MAX, type WaitingKind } from '#lib/pages/installation.ts'
import type { Queryable } from '#server/database/pool.ts'

/** A process reports every 15 s. */
const SILENT_AFTER_S = 45
/** A task is claimed within a second of its time; more than a few minutes later no worker runs. */
const TASK_LATE_AFTER = '5 minutes'
const PROCESSES_MAX = 200

export type ProcessRow = {
  processId: string
  role: ProcessRole
  host: string
  pid: number
  release: number
  startedAt: Date
  seenAt: Date
  isSilent: boolean
}

export async function selectProcesses(queryable: Queryable): Promise<ProcessRow[]> {
  const { rows } = await queryable.query<ProcessRow>(
    `select process_id as "processId", role, host, pid, release, started_at as "startedAt", seen_at as "seenAt",
            seen_at < now() - $1 * interval '1 s' as "isSilent"
       from processes order by host, role, started_at limit $2`,
    [SILENT_AFTER_S, PROCESSES_MAX],
  )
  return rows
}

export type ServerRow = { now: Date; release: number; mayReadReplication: boolean; requiresStandby: boolean }

/** The primary's own account of its state. Without the privileges of pg_read_all_stats, PostgreSQL shows standbys with nothing but their pid. */
export async function selectServer(queryable: Queryable): Promise<ServerRow> {
  const { rows } = await queryable.query<ServerRow>(
    `select now(), (select number from schema_release) as release, pg_has_role('pg_read_all_stats', 'usage') as "mayReadReplication",
            current_setting('synchronous_standby_names') <> '' as "requiresStandby"`,
  )
  const [row] = rows
  if (!row) throw new Error('A select without from returned no row')
  return row
}

/** Returns for how long the oldest commit of the service has waited for a standby, in milliseconds; 0 if none does. */
export async function readCommitWaitMs(queryable: Queryable): Promise<number> {
  const { rows } = await queryable.query<{ waitMs: number }>(
    `select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 * 1000 as "waitMs"
       from pg_stat_activity where wait_event = 'SyncRep'`,
  )
  return rows[0]?.waitMs ?? 0
}

export type StandbyRow = {
  pid: number
  name: string
  address: string | null
  state: string
  isSynchronous: boolean
  lagMs: number | null
  lagBytes: number
}

/** The standbys that are connected; a base backup in progress is none. Throws on a server that is a standby itself. */
export async function selectStandbys(queryable: Queryable): Promise<StandbyRow[]> {
  const { rows } = await queryable.query<StandbyRow>(
    `select pid, application_name as name, host(client_addr) as address, state, sync_state in ('sync', 'quorum') as "isSynchronous",
            round(extract(epoch from replay_lag) * 1000)::float8 as "lagMs",
            greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(replay_lsn, sent_lsn, pg_current_wal_lsn())), 0)::float8 as "lagBytes"
       from pg_stat_replication where state in ('startup', 'catchup', 'streaming') order by application_name, pid limit 50`,
  )
  return rows
}

export type WaitingRow = { kind: WaitingKind; oldestAt: Date | null; count: number }

/**
 * The oldest of each kind that waits, and how many do, counted to a limit: the entries of an index, however many rows there are. Work that a
 * process has claimed does not wait.
 */
export async function selectWaiting(queryable: Queryable, operators: readonly string[]): Promise<WaitingRow[]> {
  const { rows } = await queryable.query<WaitingRow>({
    name: 'select_waiting',
    text: `with lanes as (select operator, type from unnest($1::text[]) as o (operator) cross join unnest(array['COLLECT', 'DEPOSIT']) as t (type)),
      work as (
        select w.next_at from lanes cross join lateral (select next_at from operator_work o
          where o.operator = lanes.operator and o.type = lanes.type and o.phase = 'queued' and o.next_at <= now() order by next_at limit $2) w
        union all
        select w.next_at from unnest($1::text[]) as lane (operator) cross join lateral (select next_at from operator_work o
          where o.operator = lane.operator and o.phase <> 'queued' and o.next_at <= now() and not (o.is_claimed and o.claimed_until > now())
          order by next_at limit $2) w),
      webhooks as (
        select next_at from webhook_deliveries where state = 'due' and next_at <= now() and (claimed_until is null or claimed_until <= now())
          order by next_at limit $2),
      approvals as (
        select w.created_at from applications a cross join lateral (select created_at from transactions t
          where t.application_id = a.application_id and t.status = 'PENDING_APPROVAL' order by t.sequence limit $2) w),
      statements as (select coalesce(decided_at, uploaded_at) as at from statement_files where state in ('checking', 'importing') limit $2),
      changes as (select proposed_at from proposed_changes where outcome is null and expires_at > now() order by proposed_at limit $2)
      select 'work' as kind, min(next_at) as "oldestAt", least(count(*), $2)::integer as count from work
      union all select 'webhooks', min(next_at), count(*)::integer from webhooks
      union all select 'approvals', min(created_at), least(count(*), $2)::integer from approvals
      union all select 'statements', min(at), count(*)::integer from statements
      union all select 'changes', min(proposed_at), count(*)::integer from changes`,
    values: [operators, WAITING_COUNT_MAX],
  })
  return rows
}

export type TaskRow = { task: string; since: Date; failure: string | null }

/** How many tasks there are, and those that fail or are late. */
export async function selectTasks(queryable: Queryable): Promise<{ count: number; failing: TaskRow[] }> {
  const { rows } = await queryable.query<TaskRow & { isFailing: boolean }>(
    `select task, coalesce(failed_since, due_at) as since, last_error as failure,
            failed_since is not null or (due_at < now() - interval '${TASK_LATE_AFTER}' and (claimed_until is null or claimed_until < now()))
              as "isFailing"
       from scheduled_tasks order by since, task`,
  )
  return { count: rows.length, failing: rows.filter(({ isFailing }) => isFailing).map(({ isFailing: _, ...row }) => row) }
}

export type ArchiveRow = { isOn: boolean; lastAt: Date | null; failedAt: Date | null }

/** The archive of the log. `failedAt`: since the last segment that was archived. */
export async function selectArchive(queryable: Queryable): Promise<ArchiveRow> {
  const { rows } = await queryable.query<ArchiveRow>(
    `select current_setting('archive_mode') <> 'off' as "isOn", last_archived_time as "lastAt",
            case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_time end as "failedAt"
       from pg_stat_archiver`,
  )
  return rows[0] ?? { isOn: false, lastAt: null, failedAt: null }
}

export type BackupNoteRow = { kind: 'backup' | 'restore_test'; happenedAt: Date; note: string }

export async function selectBackupNotes(queryable: Queryable): Promise<BackupNoteRow[]> {
  const { rows } = await queryable.query<BackupNoteRow>('select kind, happened_at as "happenedAt", note from backup_notes')
  return rows
}
