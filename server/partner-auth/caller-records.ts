import { randomUUID } from 'node:crypto'
import { REFUSAL_CAUSES, type RefusalCause } from '#lib/partner/partner-requests.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Tokens } from './access-token.ts'
import type { Caller } from './authenticate-caller.ts'
import { type KeyUseRow, type RequestRow, storeKeyUses, storeRequests } from './caller-records-store.ts'
import { createRefusalLog, type RefusalLog } from './refusals.ts'

export type CallerRecords = {
  /** The addresses that keys are used from, and the causes of refused calls: for the partner. */
  keyUses: KeyUses
  refusals: RefusalLog
  /** In a sandbox only. */
  recentRequests?: RecentRequests | undefined
}

/** Records the calls of programs. In a sandbox also the newest calls themselves, refused ones with their cause. */
export function createCallerRecords({
  pool,
  tokens,
  directory,
  isSandbox,
}: {
  pool: Pool
  tokens: Pick<Tokens, 'explain'>
  directory: Pick<Directory, 'findByApiId' | 'find'>
  isSandbox: boolean
}): CallerRecords {
  const recentRequests = isSandbox ? createRecentRequests(pool) : undefined
  const refusals = createRefusalLog({
    pool,
    tokens,
    directory,
    onExplained({ request, cause, applicationId, address, at }) {
      if (request) recentRequests?.note({ ...request, applicationId, address, at, cause, status: REFUSAL_CAUSES[cause] })
    },
  })
  return { keyUses: createKeyUses(pool), refusals, recentRequests }
}

/** Writes what is not written yet. */
export async function closeCallerRecords({ keyUses, refusals, recentRequests }: CallerRecords): Promise<void> {
  await keyUses.close()
  await refusals.close()
  await recentRequests?.close()
}

/** Notes from where API keys are used. */
type KeyUses = {
  /** Called for every admitted call, so it only changes memory. */
  note(caller: Pick<Caller, 'application' | 'apiKeyId'>, address: string, nowMs: number): void
  /** Writes what is not written yet, and stops. */
  close(): Promise<void>
}

/** A row is written at most this often by a process. */
const WRITE_EVERY_MS = 60_000
/** A new address of a key is visible after this time. */
const COLLECT_MS = 500
/** Addresses per key in memory; more are not told apart until the memory is emptied. */
const ADDRESSES_MAX = 50
const KEYS_MAX = 10_000

type Use = KeyUseRow & { lastMs: number; writtenMs: number; isDirty: boolean }

/**
 * Keeps the addresses of each key in memory and writes them in one statement per half second, outside of any request. An address that
 * a key was never used from is written at the next occasion; a known one at most once a minute.
 */
export function createKeyUses(pool: Pool): KeyUses {
  const uses = new Map<string, Map<string, Use>>()
  let dirty: Use[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function addressesOf(apiKeyId: string): Map<string, Use> {
    const known = uses.get(apiKeyId)
    if (known) return known
    if (uses.size >= KEYS_MAX) uses.clear()
    const created = new Map<string, Use>()
    uses.set(apiKeyId, created)
    return created
  }

  async function write(): Promise<void> {
    timer = undefined
    const batch = dirty
    dirty = []
    for (const use of batch) {
      use.isDirty = false
      use.writtenMs = use.lastMs
      use.lastAt = new Date(use.lastMs)
    }
    try {
      await storeKeyUses(pool, batch)
    } catch (error) {
      // The next call with the key writes again.
      for (const use of batch) use.writtenMs = 0
      reportUnexpected('keys: last use', error, { message: 'The last use of API keys could not be stored; the next use stores it' })
    }
  }

  return {
    note({ application, apiKeyId }, address, nowMs) {
      const addresses = addressesOf(apiKeyId)
      let use = addresses.get(address)
      if (!use) {
        if (addresses.size >= ADDRESSES_MAX) addresses.clear()
        const at = new Date(nowMs)
        use = {
          applicationId: application.applicationId,
          apiKeyId,
          address,
          firstAt: at,
          lastAt: at,
          lastMs: nowMs,
          writtenMs: 0,
          isDirty: false,
        }
        addresses.set(address, use)
      }
      use.lastMs = nowMs
      if (use.isDirty || nowMs - use.writtenMs < WRITE_EVERY_MS) return
      use.isDirty = true
      dirty.push(use)
      timer ??= setTimeout(() => {
        writing = write()
      }, COLLECT_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await writing
      if (dirty.length > 0) await write()
    },
  }
}

type NotedRequest = {
  applicationId: string
  method: string
  path: string
  status: number
  cause?: RefusalCause
  address: string
  at?: Date
}

/** Notes the calls of programs, for the sandbox. */
type RecentRequests = {
  note(request: NotedRequest): void
  /** Writes what is not written yet, and stops. */
  close(): Promise<void>
}

const REQUESTS_COLLECT_MS = 400
/** Calls of one application in a statement: those that are kept in all. More in the same half second replace the oldest. */
const EACH_MAX = 100
const APPLICATIONS_MAX = 200
const PATH_LENGTH_MAX = 200

/** Keeps the newest calls in memory and writes them in one statement per half second. Open pages learn of them as of any other change. */
export function createRecentRequests(pool: Pool): RecentRequests {
  let waiting = new Map<string, RequestRow[]>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    timer = undefined
    const rows = [...waiting.values()].flat()
    waiting = new Map()
    try {
      await storeRequests(pool, rows)
    } catch (error) {
      reportUnexpected('sandbox: requests', error, { message: 'The newest calls could not be stored for the pages of the sandbox' })
    }
  }

  return {
    note({ applicationId, method, path, status, cause, address, at = new Date() }) {
      const own = waiting.get(applicationId) ?? []
      if (own.length === 0 && waiting.size >= APPLICATIONS_MAX) return
      waiting.set(applicationId, own)
      own.push({
        applicationId,
        requestId: randomUUID(),
        at,
        method,
        path: path.slice(0, PATH_LENGTH_MAX),
        status,
        cause: cause ?? null,
        address,
      })
      if (own.length > EACH_MAX) own.shift()
      timer ??= setTimeout(() => {
        writing = write()
      }, REQUESTS_COLLECT_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await writing
      if (waiting.size > 0) await write()
    },
  }
}
