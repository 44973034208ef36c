import type { RefusalCause } from '#lib/refusal-cause.ts'
import type { RefusalRow } from './caller-records-store.ts'

/** The endpoint that was called. */
export type RefusedRequest = { method: string; path: string }

export type FoundRefusal = {
  applicationId: string
  cause: RefusalCause
  address: string
  subject: string
  at: Date
  request?: RefusedRequest | undefined
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
