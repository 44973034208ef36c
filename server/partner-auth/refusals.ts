import type { RefusalCause } from '#lib/partner/partner-requests.ts'
import type { Queryable } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Credentials } from './authenticate-caller.ts'
import { findOwners, type OwnerDeps, type UnownedCall, withoutOwner } from './call-owners.ts'
import { deleteRefusalsBefore, type RefusalRow, storeRefusals } from './caller-records-store.ts'

/** Remembers why calls were refused, so that their partner can read it. */
export type RefusalLog = {
  /** A call whose three credentials were not accepted (401). The cause is found out later, outside of the request. */
  noteUnauthenticated(credentials: Credentials, address: string): void
  /** A refusal of which application and cause are known. `subject` says what it is about: a user name, an operator. */
  note(refusal: { applicationId: string; cause: RefusalCause; address: string; subject?: string }): void
  /** Writes what is not written yet, and stops. */
  close(): Promise<void>
}

/** Calls that wait in memory for their explanation; more than this many in a pause are not recorded. */
const WAITING_MAX = 500
/** Of those, calls of one address: a flood from one place leaves room for everybody else. */
const EACH_ADDRESS_MAX = 50
/** From the first refusal until it is stored, and between two statements while there is a flood. */
const COLLECT_MS = 500
const FLOOD_PAUSE_MS = 5_000

/**
 * Collects refusals in memory and stores them aggregated, in one statement per half second at most, and per five seconds in a flood. The
 * request itself only adds to a bounded list, whichever credential is wrong: its duration says nothing about the cause. Refusals that
 * nothing attributes to an application are not stored.
 */
export function createRefusalLog(deps: OwnerDeps): RefusalLog {
  let unexplained: UnownedCall[] = []
  let found: FoundRefusal[] = []
  let byAddress = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let lastWasFlood = false
  let storing: Promise<void> = Promise.resolve()

  async function store(): Promise<void> {
    timer = undefined
    const batch = { unexplained, found }
    unexplained = []
    found = []
    byAddress = new Map()
    lastWasFlood = batch.unexplained.length + batch.found.length >= EACH_ADDRESS_MAX
    try {
      const rows = aggregateRefusals([...batch.found, ...(await explainRefusals(deps, batch.unexplained))])
      if (rows.length > 0) await storeRefusals(deps.pool, rows)
    } catch (error) {
      reportUnexpected('refusals: store', error, { message: 'Refused calls could not be recorded for their partners' })
    }
  }

  /** Whether another refusal of this address may wait. Starts the timer. */
  function admit(address: string): boolean {
    const count = byAddress.get(address) ?? 0
    if (count >= EACH_ADDRESS_MAX || unexplained.length + found.length >= WAITING_MAX) return false
    byAddress.set(address, count + 1)
    timer ??= setTimeout(
      () => {
        storing = store()
      },
      lastWasFlood ? FLOOD_PAUSE_MS : COLLECT_MS,
    ).unref()
    return true
  }

  return {
    noteUnauthenticated(credentials, address) {
      if (admit(address)) unexplained.push(withoutOwner(credentials, address, new Date()))
    },
    note({ applicationId, cause, address, subject = '' }) {
      if (admit(address)) found.push({ applicationId, cause, address, subject, at: new Date() })
    },
    async close() {
      clearTimeout(timer)
      await storing
      if (unexplained.length + found.length > 0) await store()
    },
  }
}

type FoundRefusal = { applicationId: string; cause: RefusalCause; address: string; subject: string; at: Date }

/** Finds out why calls were refused with 401. Those that belong to nobody, or in which nothing is wrong by now, are left out. */
async function explainRefusals(deps: OwnerDeps, calls: readonly UnownedCall[]): Promise<FoundRefusal[]> {
  const owners = await findOwners(deps, calls)
  return calls.flatMap(({ address, at }, place) => {
    const { applicationId, keyPrefix, cause } = owners[place] ?? {}
    if (applicationId === undefined || cause === undefined) return []
    return [{ applicationId, cause, address, subject: keyPrefix === undefined ? '' : `${keyPrefix}…`, at }]
  })
}

/** Rows of one statement per application and cause; what exceeds them is counted together, without its address. */
const ROWS_EACH_MAX = 20
const MANY_ADDRESSES = '*'
const SUBJECT_LENGTH_MAX = 200
const MINUTE_MS = 60_000

/** Counts refusals per application, cause, address, subject and minute. */
export function aggregateRefusals(refusals: readonly FoundRefusal[]): RefusalRow[] {
  const rows = new Map<string, RefusalRow>()
  const rowsEach = new Map<string, number>()
  for (const { applicationId, cause, address, subject, at } of refusals) {
    const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS)
    const kind = `${applicationId} ${cause}`
    const own = { applicationId, cause, address, subject: subject.slice(0, SUBJECT_LENGTH_MAX), minute }
    const isKnown = rows.has(keyOf(own))
    const isFull = !isKnown && (rowsEach.get(kind) ?? 0) >= ROWS_EACH_MAX
    const place = isFull ? { ...own, address: MANY_ADDRESSES, subject: '' } : own
    const row = rows.get(keyOf(place))
    if (row) {
      row.count++
      if (at > row.lastAt) row.lastAt = at
      continue
    }
    rows.set(keyOf(place), { ...place, count: 1, lastAt: at })
    if (!isFull) rowsEach.set(kind, (rowsEach.get(kind) ?? 0) + 1)
  }
  return [...rows.values()]
}

function keyOf({ applicationId, cause, address, subject, minute }: Omit<RefusalRow, 'count' | 'lastAt'>): string {
  return JSON.stringify([applicationId, cause, address, subject, minute.getTime()])
}

const KEPT_MS = 30 * 24 * 3_600_000

/** Removes refusals older than thirty days. For the scheduled cleaning. Returns how many. */
export function pruneRefusals(queryable: Queryable, now: Date): Promise<number> {
  return deleteRefusalsBefore(queryable, new Date(now.getTime() - KEPT_MS))
}
