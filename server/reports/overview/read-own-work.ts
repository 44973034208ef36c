import { DAY_MS } from '#lib/durations.ts'
import type { MakerOverview } from '#lib/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type OwnEndRow, selectOwnEnded, selectOwnWaiting } from './own-work-store.ts'

const DAYS_BACK = 7
/** Of how many of their newest transactions the ends are looked for. */
const LOOKED_MAX = 2_000
const SHOWN = 5

/** What a maker started: what waits for approval, and what was rejected or failed in the last seven days. */
export async function readOwnWork(
  pool: Queryable,
  { applicationId, id }: { applicationId: string; id: string },
  now: Date,
): Promise<MakerOverview> {
  const since = new Date(now.getTime() - DAYS_BACK * DAY_MS)
  const [waiting, ended] = await Promise.all([
    selectOwnWaiting(pool, applicationId, id),
    selectOwnEnded(pool, applicationId, { personId: id, since, lookedMax: LOOKED_MAX }),
  ])
  const oldest = waiting.map((sum) => sum.oldestAt.toISOString()).sort()[0]
  return {
    since: since.toISOString(),
    waiting: {
      count: Number(waiting.reduce((count, sum) => count + sum.count, 0n)),
      oldestAt: oldest ?? null,
      sums: CURRENCIES.flatMap((currency) => waiting.filter((sum) => sum.currency === currency)).map(
        ({ currency, count, amountMinor }) => ({
          currency,
          count: Number(count),
          amount: formatMinor(amountMinor),
        }),
      ),
    },
    rejected: toGroup(ended.filter((row) => row.isRejected)),
    failed: toGroup(ended.filter((row) => !row.isRejected)),
  }
}

function toGroup(rows: readonly OwnEndRow[]): MakerOverview['rejected'] {
  const newest = rows.slice(0, SHOWN).map(({ amountMinor, at, isRejected: _, ...row }) => ({
    ...row,
    amount: formatMinor(amountMinor),
    at: at.toISOString(),
  }))
  return { count: rows.length, newest }
}
