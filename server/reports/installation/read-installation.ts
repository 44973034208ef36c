import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import type { InstallationDto, StandbyDto, WaitingKind } from '#lib/pages/installation.ts'
import type { Pool } from '#server/database/pool.ts'
import {
  type BackupNoteRow,
  readCommitWaitMs,
  selectArchive,
  selectBackupNotes,
  selectProcesses,
  selectServer,
  selectStandbys,
  selectTasks,
  selectWaiting,
} from './installation-store.ts'

/** The service itself takes up what is due within seconds. */
const DELAYED_AFTER_MS = 60_000
const FOR_PEOPLE: ReadonlySet<WaitingKind> = new Set(['approvals', 'changes'])
const AGE_MAX_MS = 5_000

const LATEST = new WeakMap<Pool, { readAtMs: number; installation: Promise<InstallationDto> }>()

/** Returns the state of the installation, read at most every five seconds: many viewers must not mean many queries. From the primary. */
export function readInstallation(pool: Pool): Promise<InstallationDto> {
  const nowMs = performance.now()
  const latest = LATEST.get(pool)
  if (latest && nowMs - latest.readAtMs < AGE_MAX_MS) return latest.installation
  const installation = readAll(pool)
  LATEST.set(pool, { readAtMs: nowMs, installation })
  // biome-ignore lint/plugin/no-silent-error: the caller gets the failure; the next one reads again.
  installation.catch(() => LATEST.delete(pool))
  return installation
}

/** The same, never older than this call. */
export async function readAll(pool: Pool): Promise<InstallationDto> {
  const server = await selectServer(pool)
  const [processes, standbys, commitWaitMs, waiting, tasks, archive, notes] = await Promise.all([
    selectProcesses(pool),
    readStandbys(pool, server.mayReadReplication),
    readCommitWaitMs(pool),
    selectWaiting(pool, OPERATOR_CODES),
    selectTasks(pool),
    unlessForbidden(selectArchive(pool)),
    selectBackupNotes(pool),
  ])
  return {
    asOf: server.now.toISOString(),
    release: server.release,
    processes: processes.map(({ startedAt, seenAt, ...row }) => ({
      ...row,
      startedAt: startedAt.toISOString(),
      seenAt: seenAt.toISOString(),
    })),
    replication: { required: server.requiresStandby, standbys, commitWaitMs },
    waiting: waiting.map(({ kind, oldestAt, count }) => ({
      kind,
      count,
      oldestAt: textOf(oldestAt),
      isDelayed: !FOR_PEOPLE.has(kind) && oldestAt !== null && server.now.getTime() - oldestAt.getTime() > DELAYED_AFTER_MS,
    })),
    tasks: { count: tasks.count, failing: tasks.failing.map(({ since, ...row }) => ({ ...row, since: since.toISOString() })) },
    archive: archive && { isOn: archive.isOn, lastAt: textOf(archive.lastAt), failedAt: textOf(archive.failedAt) },
    backup: noteOf(notes, 'backup'),
    restoreTest: noteOf(notes, 'restore_test'),
  }
}

async function readStandbys(pool: Pool, mayRead: boolean): Promise<StandbyDto[] | null> {
  return mayRead ? await unlessForbidden(selectStandbys(pool)) : null
}

/** Null if the role of the database has no privilege for what was asked. */
async function unlessForbidden<Value>(read: Promise<Value>): Promise<Value | null> {
  try {
    return await read
  } catch (error) {
    // The page says that it may not be read.
    if (error instanceof Error && 'code' in error && error.code === '42501') return null
    throw error
  }
}

function noteOf(notes: readonly BackupNoteRow[], kind: BackupNoteRow['kind']) {
  const found = notes.find((note) => note.kind === kind)
  return found ? { happenedAt: found.happenedAt.toISOString(), note: found.note } : null
}

function textOf(at: Date | null): string | null {
  return at?.toISOString() ?? null
}
