import type { Clock } from '#lib/time/time.ts'

/** The machine's clock, for everything that is not ordered by the database's. */
export const systemClock: Clock = { now: () => new Date() }
