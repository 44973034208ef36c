import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import type { UtcDay } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findSealedUntil } from '#server/ledger/ledger-store.ts'
import { AFTERWARDS, type Balance, type DayMovements, type PeriodLength, selectBalances, selectMovements } from './ledger-days-store.ts'

/** Sums over a period, in hundredths. */
export type Sums = Omit<DayMovements, 'operator' | 'day' | 'isLive' | 'peakMinor'>
/** A day, or a month or year by the first characters of its days. */
export type LedgerDay = Sums & { day: string; peakMinor: bigint }

/** The books of one operator: everything before the first requested day, then day by day, oldest first, then everything after the last. */
export type OperatorLedger = { balance: Balance; before: Sums; days: LedgerDay[]; after: Sums }

export const ZERO_SUMS: Sums = {
  count: 0n,
  collectMinor: 0n,
  depositMinor: 0n,
  heldMinor: 0n,
  collectedMinor: 0n,
  paidMinor: 0n,
  feesMinor: 0n,
  fundedMinor: 0n,
  correctedMinor: 0n,
  withdrawnMinor: 0n,
  adjustedMinor: 0n,
  collectedCount: 0n,
  paidCount: 0n,
  feesAppMinor: 0n,
  collectFeesMinor: 0n,
  collectFeesAppMinor: 0n,
  placedMinor: 0n,
  releasedMinor: 0n,
}

/**
 * Reads the books by day (or month, or year: `length`) of a range, for one operator or all, inside the caller's snapshot: sums that are
 * sealed, and the postings since. Where they do not add up to the live balances (postings of the past were loaded behind the seal), the
 * postings are read instead: slower and right.
 */
export async function readLedger(
  snapshot: Queryable,
  { applicationId, businessZone }: BusinessTime,
  request: { operator: OperatorCode | null; fromDay: UtcDay; toDay: UtcDay; length: PeriodLength },
): Promise<OperatorLedger[]> {
  const balances = (await listBalances(snapshot, applicationId)).filter(
    ({ operator }) => request.operator === null || operator === request.operator,
  )
  const sealedUntil = await findSealedUntil(snapshot)
  const ledgers = arrange(balances, await selectMovements(snapshot, applicationId, { ...request, zone: businessZone, sealedUntil }))
  if (sealedUntil === '-infinity' || ledgers.every(addsUp)) return ledgers
  return arrange(balances, await selectMovements(snapshot, applicationId, { ...request, zone: businessZone, sealedUntil: '-infinity' }))
}

/** Whether everything ever posted makes the live balance. */
export function addsUp({ balance, before, days, after }: OperatorLedger): boolean {
  const all = [before, ...days, after].reduce(addSums, ZERO_SUMS)
  return all.collectMinor === balance.collectMinor && all.depositMinor === balance.depositMinor && all.heldMinor === balance.heldMinor
}

/** Adds the sums of two periods. */
export function addSums(left: Sums, right: Sums): Sums {
  return {
    count: left.count + right.count,
    collectMinor: left.collectMinor + right.collectMinor,
    depositMinor: left.depositMinor + right.depositMinor,
    heldMinor: left.heldMinor + right.heldMinor,
    collectedMinor: left.collectedMinor + right.collectedMinor,
    paidMinor: left.paidMinor + right.paidMinor,
    feesMinor: left.feesMinor + right.feesMinor,
    fundedMinor: left.fundedMinor + right.fundedMinor,
    correctedMinor: left.correctedMinor + right.correctedMinor,
    withdrawnMinor: left.withdrawnMinor + right.withdrawnMinor,
    adjustedMinor: left.adjustedMinor + right.adjustedMinor,
    collectedCount: left.collectedCount + right.collectedCount,
    paidCount: left.paidCount + right.paidCount,
    feesAppMinor: left.feesAppMinor + right.feesAppMinor,
    collectFeesMinor: left.collectFeesMinor + right.collectFeesMinor,
    collectFeesAppMinor: left.collectFeesAppMinor + right.collectFeesAppMinor,
    placedMinor: left.placedMinor + right.placedMinor,
    releasedMinor: left.releasedMinor + right.releasedMinor,
  }
}

function arrange(balances: readonly Balance[], rows: readonly DayMovements[]): OperatorLedger[] {
  return balances.map((balance) => {
    const own = rows.filter((row) => row.operator === balance.operator)
    const byDay = Map.groupBy(own, (row) => row.day)
    const days = [...byDay.entries()].flatMap(([day, parts]) => (day === null || day === AFTERWARDS ? [] : [toDay(day, parts)]))
    return {
      balance,
      before: (byDay.get(null) ?? []).reduce<Sums>(addSums, ZERO_SUMS),
      days: days.toSorted((left, right) => (left.day < right.day ? -1 : 1)),
      after: (byDay.get(AFTERWARDS) ?? []).reduce<Sums>(addSums, ZERO_SUMS),
    }
  })
}

/** The sealed part of a day came first; what came after rose from where it ended. */
function toDay(day: string, parts: readonly DayMovements[]): LedgerDay {
  const sealed = parts.find((part) => !part.isLive)
  const live = parts.find((part) => part.isLive)
  const sums = parts.reduce<Sums>(addSums, ZERO_SUMS)
  const peaks = [sealed?.peakMinor ?? 0n, live ? (sealed?.depositMinor ?? 0n) + live.peakMinor : 0n]
  return { ...sums, day, peakMinor: peaks.reduce((most, peak) => (peak > most ? peak : most), 0n) }
}

/** One record for each of the thirteen operators, in the order of the partner API; zero if nothing happened. */
export async function listBalances(queryable: Queryable, applicationId: string): Promise<Balance[]> {
  const rows = new Map((await selectBalances(queryable, applicationId)).map((row) => [row.operator, row]))
  return OPERATOR_CODES.map(
    (operator) => rows.get(operator) ?? { operator, collectMinor: 0n, depositMinor: 0n, heldMinor: 0n, earnedFeesMinor: 0n },
  )
}
