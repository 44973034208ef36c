import { randomUUID } from 'node:crypto'
import type { RefusalCause } from '#lib/refusal-cause.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type RequestRow, storeRequests } from './caller-records-store.ts'

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
export type RecentRequests = {
  note(request: NotedRequest): void
  /** Writes what is not written yet, and stops. */
  close(): Promise<void>
}

const COLLECT_MS = 400
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
      }, COLLECT_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await writing
      if (waiting.size > 0) await write()
    },
  }
}
