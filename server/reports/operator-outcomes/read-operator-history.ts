import {
  type Availability,
  type DirectionHistory,
  type Disturbance,
  HISTORY_DAYS,
  HISTORY_HOURS,
  type HistorySlot,
  SUBMISSION_OUTCOMES,
  type SubmissionOutcome,
} from '#lib/operators/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, daysBetween } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { listAvailabilityChanges } from '#server/operators/availability/availability-store.ts'
import { type OpenRow, type OutcomeRow, selectDays, selectHours, selectOpen } from './outcome-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** As many as a person reads. */
const DISTURBANCES_MAX = 20
/** The bounds of the buckets grow by this factor; the figure of a bucket is its middle. */
const BUCKET_GROWTH = 1.2

/** Returns the outcomes of one operator's transactions by hour and by business day, and when it was not available. */
export async function readOperatorHistory(
  pool: Pool,
  { applicationId, businessZone }: BusinessTime,
  operator: OperatorCode,
  now: Date,
): Promise<DirectionHistory[]> {
  const about = { applicationId, operator, businessZone }
  const firstHourMs = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - (HISTORY_HOURS - 1) * HOUR_MS
  const today = dayIn(businessZone, now)
  const fromDay = addDays(today, 1 - HISTORY_DAYS)
  const [hourRows, dayRows, open, changes] = await Promise.all([
    selectHours(pool, about, new Date(firstHourMs)),
    selectDays(pool, about, fromDay),
    selectOpen(pool, about),
    listAvailabilityChanges(pool, operator, new Date(now.getTime() - (HISTORY_DAYS + 1) * DAY_MS)),
  ])
  const hours = Array.from({ length: HISTORY_HOURS }, (_, index) => hourText(firstHourMs + index * HOUR_MS))
  const days = daysBetween(fromDay, today)
  const dayOf = (at: Date) => dayIn(businessZone, at)
  return TRANSACTION_TYPES.map((type) => {
    const isOwn = (row: { type: string }) => row.type === type
    const ownOpen = open.filter(isOwn)
    const stretches = stretchesOf(changes.filter(isOwn), now)
    const disturbances = disturbancesOf(stretches, now).toReversed()
    return {
      type,
      hours: slotsOf(hours, hourRows.filter(isOwn), ownOpen, (at) => hourText(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS), stretches),
      days: slotsOf(days, dayRows.filter(isOwn), ownOpen, dayOf, stretches),
      disturbances: disturbances.slice(0, DISTURBANCES_MAX),
      disturbanceCount: disturbances.length,
      waiting: ownOpen.reduce((sum, row) => (row.at === null ? sum + row.count : sum), 0),
      unconfirmed: ownOpen.reduce((sum, row) => sum + row.unconfirmed, 0),
    }
  })
}

function hourText(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '')
}

/** From each change to the next one. */
function stretchesOf(changes: readonly Change[], now: Date): Stretch[] {
  return changes.map(({ state, since }, index) => ({ state, from: since, until: changes[index + 1]?.since ?? now }))
}

function slotsOf(
  slots: readonly string[],
  rows: readonly OutcomeRow[],
  open: readonly OpenRow[],
  slotOf: (at: Date) => string,
  stretches: readonly Stretch[],
): HistorySlot[] {
  const bySlot = Map.groupBy(rows, (row) => row.slot)
  const openBySlot = Map.groupBy(
    open.filter((row) => row.at !== null),
    (row) => (row.at === null ? '' : slotOf(row.at)),
  )
  const minutes = minutesIn(stretches, slotOf)
  return slots.map((slot) => {
    const own = bySlot.get(slot) ?? []
    const openCount = (openBySlot.get(slot) ?? []).reduce((sum, row) => sum + row.count, 0)
    return {
      slot,
      counts: countsOf(own, openCount),
      medianMs: percentileOf(own, 0.5),
      slowMs: percentileOf(own, 0.95),
      delayedMinutes: minutes.get(`${slot} DELAYED`) ?? 0,
      closedMinutes: minutes.get(`${slot} CLOSED`) ?? 0,
    }
  })
}

function countsOf(rows: readonly OutcomeRow[], open: number): Record<SubmissionOutcome, number> {
  const countOf = (outcome: SubmissionOutcome) =>
    outcome === 'open' ? open : rows.reduce((sum, row) => (row.outcome === outcome ? sum + row.count : sum), 0)
  const counts: Partial<Record<SubmissionOutcome, number>> = {}
  for (const outcome of SUBMISSION_OUTCOMES) counts[outcome] = countOf(outcome)
  return { ...EMPTY, ...counts }
}

const EMPTY: Readonly<Record<SubmissionOutcome, number>> = {
  succeeded: 0,
  insufficientFunds: 0,
  invalidNumber: 0,
  cancelledByCustomer: 0,
  operatorTimeout: 0,
  notRegistered: 0,
  other: 0,
  open: 0,
}

/** The time within which this share of the results came, to a tenth. */
export function percentileOf(rows: readonly Pick<OutcomeRow, 'bucket' | 'count'>[], share: number): number | null {
  const total = rows.reduce((sum, row) => sum + row.count, 0)
  if (total === 0) return null
  let reached = 0
  for (const row of rows.toSorted((left, right) => left.bucket - right.bucket)) {
    reached += row.count
    if (reached >= total * share) return Math.round(BUCKET_GROWTH ** (row.bucket + 0.5))
  }
  return null
}

type Change = { state: Availability; since: Date }
type Stretch = { state: Availability; from: Date; until: Date }

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS

/** The stretches that are worth a line: what was not OPERATIONAL. One that reaches to now has no end. */
function disturbancesOf(stretches: readonly Stretch[], now: Date): Disturbance[] {
  return stretches.flatMap(({ state, from, until }): Disturbance[] =>
    state === 'OPERATIONAL' || until <= from
      ? []
      : [{ state, from: from.toISOString(), until: until.getTime() === now.getTime() ? null : until.toISOString() }],
  )
}

/**
 * The minutes of each slot (an hour or a day) and state, as `<slot> <state>`. Cut at quarters of an hour, at which the days of every time zone
 * begin, and rounded once at the end.
 */
function minutesIn(stretches: readonly Stretch[], slotOf: (at: Date) => string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { state, from, until } of stretches) {
    if (state === 'OPERATIONAL') continue
    for (let at = from.getTime(); at < until.getTime(); ) {
      const end = Math.min(until.getTime(), (Math.floor(at / QUARTER_MS) + 1) * QUARTER_MS)
      const key = `${slotOf(new Date(at))} ${state}`
      sums.set(key, (sums.get(key) ?? 0) + end - at)
      at = end
    }
  }
  return new Map([...sums].map(([key, ms]) => [key, Math.max(1, Math.round(ms / MINUTE_MS))]))
}
