import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { DAY_MS } from '#lib/time/time.ts'

const HOUR_MS = 3_600_000
const WEEK_HOURS = 168
const WEEK_MS = 7 * DAY_MS
/** A balance that lasts longer than the calendar of people needs no date. */
const HORIZON_HOURS = 14 * 24
/** The hours that a top-up has to cover and the chart shows. */
export const COVERED_HOURS = 48
/** How far back the usual flow is read. */
export const HISTORY_MS = 4 * WEEK_MS

/** The hour of a week in which an instant lies, in UTC, 0 to 167: weekday and hour together. */
export function weekHourOf(instant: Date): number {
  return Math.floor(instant.getTime() / HOUR_MS) % WEEK_HOURS
}

/** The money that deposits took from an account and collects brought to it in one hour of the week, over the whole history; hundredths. */
export type WeekHourFlow = { weekHour: number; outMinor: bigint; inMinor: bigint }

type Account = {
  balanceMinor: bigint
  /** Deposits that were accepted and have not left, and those that wait for approval: they leave first. */
  committedMinor: bigint
  /** Collects arrive in the same account. */
  isShared: boolean
  flows: readonly WeekHourFlow[]
  /** The first hour of the history; at most four weeks ago. */
  since: Date
}

/** `usualOutMinor`: in that hour or what is left of it. `minor`: the balance at its end, below zero if it is short. */
type ForecastHour = { at: Date; usualOutMinor: bigint; minor: bigint }
type FloatForecast = {
  hours: readonly ForecastHour[]
  /** To the minute; null: longer than two weeks. */
  lastsUntil: Date | null
  /** In whole units; zero if the balance covers the next two days. */
  topUpMinor: bigint
}

/**
 * How long the balance of an account for deposits lasts if every hour of the week brings what it has usually brought, and what has to be added so
 * that it lasts for two days.
 */
export function forecastFloat({ balanceMinor, committedMinor, isShared, flows, since }: Account, now: Date): FloatForecast {
  const usual = new Map(flows.map((flow) => [flow.weekHour, usualFlow(flow, since, now)]))
  const hours: ForecastHour[] = []
  let level = balanceMinor - committedMinor
  let lowest = level
  let lastsUntil = level < 0n ? now : null
  for (let place = 0, at = now; place < HORIZON_HOURS && (lastsUntil === null || place < COVERED_HOURS); place++) {
    const leftMs = HOUR_MS - (at.getTime() % HOUR_MS)
    const { outMinor, inMinor } = usual.get(weekHourOf(at)) ?? { outMinor: 0n, inMinor: 0n }
    const usualOutMinor = (outMinor * BigInt(leftMs)) / BigInt(HOUR_MS)
    const fallMinor = usualOutMinor - (isShared ? (inMinor * BigInt(leftMs)) / BigInt(HOUR_MS) : 0n)
    if (lastsUntil === null && level - fallMinor < 0n) lastsUntil = minuteOf(at.getTime() + Number((BigInt(leftMs) * level) / fallMinor))
    level -= fallMinor
    if (place < COVERED_HOURS) {
      hours.push({ at, usualOutMinor, minor: level })
      if (level < lowest) lowest = level
    }
    at = new Date(at.getTime() + leftMs)
  }
  return { hours, lastsUntil, topUpMinor: lowest < 0n ? ((-lowest + 99n) / 100n) * 100n : 0n }
}

function minuteOf(ms: number): Date {
  return new Date(Math.floor(ms / 60_000) * 60_000)
}

/** The mean of an hour of the week: the whole history by how often that hour was in it. The present hour is not over. */
function usualFlow({ weekHour, outMinor, inMinor }: WeekHourFlow, since: Date, now: Date): Omit<WeekHourFlow, 'weekHour'> {
  const [first, end] = [since, now].map((instant) => Math.floor(instant.getTime() / HOUR_MS)) as [number, number]
  const firstLike = first + ((weekHour - (first % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS)
  const times = BigInt(Math.max(1, Math.ceil((end - firstLike) / WEEK_HOURS)))
  return { outMinor: outMinor / times, inMinor: inMinor / times }
}

/** The forecast of an operator's account for deposits as pages show it. Amounts are decimals. */
export type FloatForecastDto = {
  operator: OperatorCode
  currency: Currency
  balance: string
  /** The operator reported it within the hour; otherwise it is what our books say. */
  isReported: boolean
  held: string
  waiting: string
  /** The usual outflow of the next 24 hours. */
  usualDay: string
  lastsUntil: string | null
  topUp: string
  /** In steps of two hours. */
  steps: readonly { at: string; usualOut: string; balance: string }[]
}
