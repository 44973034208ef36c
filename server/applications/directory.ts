import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { readApplications, readChangedApplications } from './directory-store.ts'
import { type ApplicationSnapshot, toSnapshot } from './snapshot.ts'

export type DirectoryOptions = {
  pool: Pool
  /** Pause between two looks; a change is in force after at most this and one look. */
  pollIntervalMs?: number
  /** After this long without a successful look the directory calls itself stale. */
  staleAfterMs?: number
  /** Told of every failed look, after which the directory goes on with what it has, and of every webhook secret that cannot be decrypted. */
  onError?: (error: unknown) => void
}

/** All applications, in memory. Requests read it without waiting for anything. */
export type Directory = {
  findByApiId(apiId: string): ApplicationSnapshot | undefined
  find(applicationId: string): ApplicationSnapshot | undefined
  all(): ApplicationSnapshot[]
  /** Looks now and resolves when what was committed before the call is in force. Throws when the database cannot be asked. */
  refresh(): Promise<void>
  /** False when the database has not answered for `staleAfterMs`: this process is not ready. */
  isFresh(): boolean
  close(): Promise<void>
}

/**
 * Makes sure that this process accepts a token of this epoch before it hands the token out: the user or the new epoch may
 * be younger than the last look.
 */
export async function makeEpochKnown(
  directory: Directory,
  { applicationId, apiUserId, epoch }: { applicationId: string; apiUserId: string; epoch: number },
): Promise<void> {
  const known = directory.find(applicationId)?.apiUserEpochs.get(apiUserId)
  if (known === undefined || known < epoch) await directory.refresh()
}

/** Rows of one statement: bounds what a first look holds at once. */
const CHUNK_SIZE = 500
const reportRefresh = (error: unknown) =>
  reportUnexpected('applications: refresh', error, { message: 'The list of applications could not be refreshed; it is tried again' })
const BEGINNING_XID = '0'

/**
 * Reads every application and keeps the picture current: changes are in force within a second in every process.
 * Throws when the first look fails. Later failures are told to `onError` and tried again; the last picture stays.
 */
export async function createDirectory(options: DirectoryOptions): Promise<Directory> {
  const { pool, pollIntervalMs = 250, staleAfterMs = 5_000, onError = reportRefresh } = options
  const byId = new Map<string, ApplicationSnapshot>()
  const byApiId = new Map<string, ApplicationSnapshot>()
  const loadedXids = new Map<string, string>()
  let sinceXid = BEGINNING_XID
  let lastSuccessMs = performance.now()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> | undefined

  function put(applicationId: string, snapshot: ApplicationSnapshot | undefined): void {
    const old = byId.get(applicationId)
    if (old) byApiId.delete(old.apiId)
    byId.delete(applicationId)
    if (!snapshot) return
    byId.set(applicationId, snapshot)
    byApiId.set(snapshot.apiId, snapshot)
  }

  function dropAllBut(applicationIds: ReadonlySet<string>): void {
    for (const applicationId of [...byId.keys()]) if (!applicationIds.has(applicationId)) put(applicationId, undefined)
  }

  async function load(changed: readonly { applicationId: string; xid: string }[]): Promise<void> {
    const rows = await readApplications(
      pool,
      changed.map((change) => change.applicationId),
    )
    const found = new Map(rows.map((row) => [row.application_id, toSnapshot(row, onError)]))
    for (const { applicationId, xid } of changed) {
      put(applicationId, found.get(applicationId))
      loadedXids.set(applicationId, xid)
    }
  }

  async function look(): Promise<void> {
    const startedMs = performance.now()
    const { oldestUnseenXid, changed } = await readChangedApplications(pool, sinceXid)
    if (sinceXid === BEGINNING_XID) dropAllBut(new Set(changed.map((change) => change.applicationId)))
    // While an old transaction stays open, the same changes are reported again; they are loaded once.
    const unseen = changed.filter((change) => loadedXids.get(change.applicationId) !== change.xid)
    for (let start = 0; start < unseen.length; start += CHUNK_SIZE) await load(unseen.slice(start, start + CHUNK_SIZE))
    sinceXid = oldestUnseenXid
    lastSuccessMs = startedMs
  }

  /** One look at a time; a caller gets one that began after its call. */
  async function lookNow(): Promise<void> {
    // The caller that began this refresh reports its failure.
    while (current) await current.catch(() => undefined)
    current = look()
    try {
      await current
    } catch (error) {
      // Whoever answers next may be another server, restored from a copy: its transaction numbers mean something else.
      sinceXid = BEGINNING_XID
      loadedXids.clear()
      throw error
    } finally {
      current = undefined
    }
  }

  function schedule(): void {
    if (isClosed) return
    timer = setTimeout(() => void lookNow().catch(onError).finally(schedule), pollIntervalMs)
    timer.unref()
  }

  await lookNow()
  schedule()
  return {
    findByApiId: (apiId) => byApiId.get(apiId),
    find: (applicationId) => byId.get(applicationId),
    all: () => [...byId.values()],
    refresh: lookNow,
    isFresh: () => performance.now() - lastSuccessMs < staleAfterMs,
    async close() {
      isClosed = true
      clearTimeout(timer)
      // The caller that began this refresh reports its failure.
      await current?.catch(() => undefined)
    },
  }
}
