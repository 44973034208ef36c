import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Caller } from './authenticate-caller.ts'
import type { OwnerDeps } from './call-owners.ts'
import { type KeyUseRow, storeKeyUses } from './caller-records-store.ts'
import { createRecentCalls, type RecentCalls } from './recent-calls.ts'
import { createRefusalLog, type RefusalLog } from './refusals.ts'

export type CallerRecords = {
  /** The addresses that keys are used from, and the causes of refused calls: for the partner. */
  keyUses: KeyUses
  refusals: RefusalLog
  /** The calls themselves, with request and answer. In a sandbox only. */
  recentCalls?: RecentCalls | undefined
}

/** Records the calls of programs. */
export function createCallerRecords({ isSandbox, ...deps }: OwnerDeps & { isSandbox: boolean }): CallerRecords {
  return {
    keyUses: createKeyUses(deps.pool),
    refusals: createRefusalLog(deps),
    recentCalls: isSandbox ? createRecentCalls(deps) : undefined,
  }
}

/** Writes what is not written yet. */
export async function closeCallerRecords({ keyUses, refusals, recentCalls }: CallerRecords): Promise<void> {
  await keyUses.close()
  await refusals.close()
  await recentCalls?.close()
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
