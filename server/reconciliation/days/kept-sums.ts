import { isDeepStrictEqual } from 'node:util'
import { daysBetween } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type DayScope, type DaySums, readSums } from './day-store.ts'
import { type KeptDay, keepSums, listKeptDays, listOpenMatches, OPEN_MAX, type SumSettings, selectEnded } from './kept-store.ts'

/**
 * The sums of days as `readSums` computes them, kept from the last time where nothing of a day has changed since: its lines and matches
 * (wallet_days.version), the settings of the wallet, and the results of transactions that were open. Our postings carry the time at which they are
 * made, so a day has none more once it is over; until then it is computed each time. It writes, so it needs the primary.
 */
export async function readKeptSums(queryable: Queryable, scope: DayScope): Promise<DaySums> {
  // Seen from an earlier instant, other transactions are open.
  if (scope.asOf) return readSums(queryable, scope)
  const known = await listKeptDays(queryable, scope)
  const valid = await findValid(queryable, scope, known)
  const sums: DaySums = { lines: [], booked: [], printed: [] }
  for (const day of daysBetween(scope.from, scope.to)) {
    const ofDay = valid.get(day) ?? (await computeDay(queryable, { ...scope, from: day, to: day }, known))
    sums.lines.push(...ofDay.lines)
    sums.booked.push(...ofDay.booked)
    sums.printed.push(...ofDay.printed)
  }
  return sums
}

async function findValid(queryable: Queryable, scope: DayScope, known: readonly KeptDay[]): Promise<Map<string, DaySums>> {
  const settings = settingsOf(scope)
  const usable = known.flatMap(({ day, kept }) => (kept && isDeepStrictEqual(kept.settings, settings) ? [{ day, ...kept }] : []))
  const ended = await selectEnded(
    queryable,
    usable.flatMap(({ open }) => open),
  )
  return new Map(usable.flatMap((each) => (each.open.some(({ transactionId }) => ended.has(transactionId)) ? [] : [[each.day, each]])))
}

/** Computes one day. Its version was read before, so that it is not kept if it changes meanwhile. */
async function computeDay(queryable: Queryable, scope: DayScope, known: readonly KeptDay[]): Promise<DaySums> {
  const sums = await readSums(queryable, scope)
  const before = known.find(({ day }) => day === scope.from)
  if (!before?.isOver) return sums
  const isAnyOpen = sums.lines.some((line) => line.class === 'paid_open_here')
  const open = isAnyOpen ? await listOpenMatches(queryable, scope) : []
  // More would take longer to look up each time than the day to compute.
  if (open.length <= OPEN_MAX) {
    await keepSums(queryable, { scope, day: scope.from, version: before.version, settings: settingsOf(scope), sums, open })
  }
  return sums
}

function settingsOf({ wallet }: DayScope): SumSettings {
  const { account, zone, cutoffMinute, feePpm, feeFixedMinor, feeRounding, feeTaxPpm, feeForm } = wallet
  const feeFixed = feeFixedMinor === null ? null : String(feeFixedMinor)
  return { account, zone, cutoffMinute, feePpm, feeFixed, feeRounding, feeTaxPpm, feeForm }
}
