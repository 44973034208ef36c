import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { readApplications, readChangedApplications } from './application-store.ts'
import { type ApplicationSnapshot, toSnapshot } from './snapshot.ts'

type DirectoryOptions = {
  pool: Pool
  /** Pause between two refreshes. A change is in force after this pause and one refresh. */
  pollIntervalMs?: number
  /** `isFresh` returns false after this time without a successful refresh. */
  staleAfterMs?: number
  /** Called for each failed refresh, after which the directory keeps its last copy, and for each webhook secret that cannot be decrypted. */
  onError?: (error: unknown) => void
}

/** All applications, in memory. Requests read it without waiting for anything. */
export type Directory = {
  findByApiId(apiId: string): ApplicationSnapshot | undefined
  find(applicationId: string): ApplicationSnapshot | undefined
  all(): ApplicationSnapshot[]
  /** Refreshes now. Resolves when everything committed before the call is in force. Throws if the database does not answer. */
  refresh(): Promise<void>
  /** False when the database has not answered for `staleAfterMs`: this process is not ready. */
  isFresh(): boolean
  close(): Promise<void>
}

/**
 * Makes sure that this process accepts a token of this epoch before it returns the token: the user or the new epoch may
 * be newer than the last refresh.
 */
export async function makeEpochKnown(
  directory: Directory,
  { applicationId, apiUserId, epoch }: { applicationId: string; apiUserId: string; epoch: number },
): Promise<void> {
  const known = directory.find(applicationId)?.apiUserEpochs.get(apiUserId)
  if (known === undefined || known < epoch) await directory.refresh()
}

/** Makes sure that this process knows the application, which may be newer than the last refresh. */
export async function makeApplicationKnown(directory: Pick<Directory, 'find' | 'refresh'>, applicationId: string): Promise<void> {
  if (!directory.find(applicationId)) await directory.refresh()
}

/** Rows of one statement: bounds the memory of the first refresh. */
const CHUNK_SIZE = 500
const reportRefresh = (error: unknown) =>
  reportUnexpected('applications: refresh', error, { message: 'The list of applications could not be refreshed; it is tried again' })
const BEGINNING_XID = '0'

/**
 * Reads every application and keeps the copy current: changes are in force within a second in every process. Throws if
 * the first refresh fails. Later failures are passed to `onError` and retried; the last copy stays.
 */
export async function createDirectory(options: DirectoryOptions): Promise<Directory> {
  const { pool, pollIntervalMs = 250, staleAfterMs = 5_000, onError = reportRefresh } = options
  const snapshots = createSnapshots()
  const loadedXids = new Map<string, string>()
  let sinceXid = BEGINNING_XID
  let lastSuccessMs = performance.now()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> | undefined

  async function load(changed: readonly { applicationId: string; xid: string }[]): Promise<void> {
    const rows = await readApplications(
      pool,
      changed.map((change) => change.applicationId),
    )
    const found = new Map(rows.map((row) => [row.application_id, toSnapshot(row, onError)]))
    for (const { applicationId, xid } of changed) {
      snapshots.put(applicationId, found.get(applicationId))
      loadedXids.set(applicationId, xid)
    }
  }

  async function refresh(): Promise<void> {
    const startedMs = performance.now()
    const { oldestUnseenXid, changed } = await readChangedApplications(pool, sinceXid)
    if (sinceXid === BEGINNING_XID) snapshots.dropAllBut(new Set(changed.map((change) => change.applicationId)))
    // While an old transaction stays open, the same changes are reported again; they are loaded once.
    const unseen = changed.filter((change) => loadedXids.get(change.applicationId) !== change.xid)
    for (let start = 0; start < unseen.length; start += CHUNK_SIZE) await load(unseen.slice(start, start + CHUNK_SIZE))
    sinceXid = oldestUnseenXid
    lastSuccessMs = startedMs
  }

  /** One refresh at a time. A caller gets one that started after its call. */
  async function refreshNow(): Promise<void> {
    // biome-ignore lint/plugin/no-silent-error: the caller that started this refresh reports its failure.
    while (current) await current.catch(() => undefined)
    current = refresh()
    try {
      await current
    } catch (error) {
      // The next answer may come from another server, restored from a copy, whose transaction numbers mean something else.
      sinceXid = BEGINNING_XID
      loadedXids.clear()
      throw error
    } finally {
      current = undefined
    }
  }

  function schedule(): void {
    if (isClosed) return
    timer = setTimeout(() => void refreshNow().catch(onError).finally(schedule), pollIntervalMs)
    timer.unref()
  }

  await refreshNow()
  schedule()
  return {
    findByApiId: snapshots.findByApiId,
    find: snapshots.find,
    all: snapshots.all,
    refresh: refreshNow,
    isFresh: () => performance.now() - lastSuccessMs < staleAfterMs,
    async close() {
      isClosed = true
      clearTimeout(timer)
      // Ignored: the caller that started this refresh reports its failure.
      await current?.catch(() => undefined)
    },
  }
}

type Snapshots = Pick<Directory, 'findByApiId' | 'find' | 'all'> & {
  /** Replaces the snapshot of an application, or removes it. */
  put(applicationId: string, snapshot: ApplicationSnapshot | undefined): void
  dropAllBut(applicationIds: ReadonlySet<string>): void
}

/** Keeps the snapshots by both of their ids. */
function createSnapshots(): Snapshots {
  const byId = new Map<string, ApplicationSnapshot>()
  const byApiId = new Map<string, ApplicationSnapshot>()

  function put(applicationId: string, snapshot: ApplicationSnapshot | undefined): void {
    const old = byId.get(applicationId)
    if (old) byApiId.delete(old.apiId)
    byId.delete(applicationId)
    if (!snapshot) return
    byId.set(applicationId, snapshot)
    byApiId.set(snapshot.apiId, snapshot)
  }

  return {
    findByApiId: (apiId) => byApiId.get(apiId),
    find: (applicationId) => byId.get(applicationId),
    all: () => [...byId.values()],
    put,
    dropAllBut(applicationIds) {
      for (const applicationId of [...byId.keys()]) if (!applicationIds.has(applicationId)) put(applicationId, undefined)
    },
  }
}
