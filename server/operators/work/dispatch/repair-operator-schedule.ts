import type { Pool } from '#server/database/pool.ts'
import type { Connectors } from '#server/operators/connector.ts'
import { rescheduleFarWork } from '../work-schedule-store.ts'

/** Twice the longest pause of the schedule. */
const AHEAD_MS_MAX = 2 * 60 * 60_000
/** The history of a new sandbox holds work whose next query is up to twelve hours ahead, so that there is open work to see. */
const SANDBOX_AHEAD_MS_MAX = 24 * 60 * 60_000

/**
 * Makes operator work due whose next query is further ahead than the schedule allows. This happens when the database's clock is
 * set back by hours: earlier leases and pauses would otherwise last as long as the difference. Returns how many rows were repaired.
 */
export function repairOperatorSchedule(pool: Pool, connectors: Connectors, { isSandbox }: { isSandbox: boolean }): Promise<number> {
  return rescheduleFarWork(pool, connectors.operators(), isSandbox ? SANDBOX_AHEAD_MS_MAX : AHEAD_MS_MAX)
}
