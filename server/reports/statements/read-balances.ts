import type { BalanceCard, BalancesDto } from '#lib/finance/finance-dto.ts'
import { CURRENCIES, formatMinor, parseMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, daysBetween, LAST_DAY, type UtcDay } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { type OperatorLedger, readLedger } from './day-ledger.ts'
import { type Balance, selectCrossing, selectThresholds } from './ledger-days-store.ts'
import { oneOf } from './statement-periods.ts'

const TREND_DAYS = 30

/** One card per operator, all thirteen, with the trend of its deposit balance and whether it is low; free money per currency. One snapshot. */
export function readBalances(pool: Pool, application: BusinessTime, now: Date): Promise<BalancesDto> {
  return withSnapshot(pool, async (snapshot) => {
    const { applicationId, businessZone } = application
    const today = dayIn(businessZone, now)
    const fromDay = addDays(today, 1 - TREND_DAYS)
    const thresholds = new Map((await selectThresholds(snapshot, applicationId)).map((row) => [row.operator, row.thresholdMinor]))
    const cards: BalanceCard[] = []
    const asked = { operator: null, fromDay, toDay: LAST_DAY, length: 10 } as const
    for (const ledger of await readLedger(snapshot, application, asked)) {
      const { balance } = ledger
      const threshold = thresholds.get(balance.operator) ?? null
      const isLow = threshold !== null && balance.depositMinor < threshold
      cards.push({
        operator: balance.operator,
        currency: OPERATORS[balance.operator].country.currency,
        collect: formatMinor(balance.collectMinor),
        deposit: formatMinor(balance.depositMinor),
        held: formatMinor(balance.heldMinor),
        fees: formatMinor(balance.earnedFeesMinor),
        trend: trendOf(ledger, daysBetween(fromDay, today)),
        threshold: threshold === null ? null : formatMinor(threshold),
        isLow,
        lowSince: isLow
          ? ((await lowSince(snapshot, applicationId, { balance, fromDay, thresholdMinor: threshold }))?.toISOString() ?? null)
          : null,
      })
    }
    const free = CURRENCIES.map((currency) => {
      const own = cards.filter((card) => card.currency === currency)
      return { currency, operators: own.length, amount: formatMinor(own.reduce((sum, card) => sum + parseMinor(card.deposit), 0n)) }
    })
    return { asOf: now.toISOString(), free, cards }
  })
}

function trendOf({ before, days }: OperatorLedger, asked: readonly string[]): number[] {
  const moved = new Map(days.map((day) => [day.day, day.depositMinor]))
  let balance = before.depositMinor
  return asked.map((day) => {
    balance += moved.get(day) ?? 0n
    return Number(balance) / 100
  })
}

/**
 * When a low balance went below its threshold. The peaks of the UTC days say on which of them it was last above; only that day's postings are
 * read. Null where that is further back than the trend.
 */
async function lowSince(
  snapshot: Queryable,
  applicationId: string,
  { balance: { operator }, fromDay, thresholdMinor }: { balance: Balance; fromDay: UtcDay; thresholdMinor: bigint },
): Promise<Date | null> {
  const inUtc = { applicationId, businessZone: 'UTC' }
  const { before, days } = oneOf(await readLedger(snapshot, inUtc, { operator, fromDay, toDay: LAST_DAY, length: 10 }))
  let opening = before.depositMinor
  let last: { day: string; openingMinor: bigint } | undefined
  for (const day of days) {
    if (opening + day.peakMinor >= thresholdMinor) last = { day: day.day, openingMinor: opening }
    opening += day.depositMinor
  }
  return last ? selectCrossing(snapshot, applicationId, { operator, thresholdMinor, ...last }) : null
}
