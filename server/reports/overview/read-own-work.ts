import { DAY_MS } from '#lib/durations.ts'
import type { MakerOverview, OwnTransaction } from '#lib/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listDrafts } from '#server/transactions/payment-drafts.ts'
import { type OwnEndRow, selectOwnEnded, selectOwnWaiting } from './own-work-store.ts'

const FAILED_DAYS = 7
/** Returned items wait for their maker, so they are shown for longer. */
const RETURNED_DAYS = 30
/** Of how many of their newest transactions the ends are looked for. */
const LOOKED_MAX = 2_000
const SHOWN = 5
const RETURNED_SHOWN = 20

/** Returns a maker's work: items that wait for approval, items returned in the last thirty days, failures of the last seven, and drafts. */
export async function readOwnWork(
  pool: Queryable,
  { applicationId, id }: { applicationId: string; id: string },
  now: Date,
): Promise<MakerOverview> {
  const since = new Date(now.getTime() - RETURNED_DAYS * DAY_MS)
  const failedSince = new Date(now.getTime() - FAILED_DAYS * DAY_MS)
  const [waiting, ended, drafts] = await Promise.all([
    selectOwnWaiting(pool, applicationId, id),
    selectOwnEnded(pool, applicationId, { personId: id, since, lookedMax: LOOKED_MAX }),
    listDrafts(pool, { applicationId, personId: id }),
  ])
  const oldest = waiting.map((sum) => sum.oldestAt.toISOString()).sort()[0]
  return {
    since: failedSince.toISOString(),
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
    returned: toGroup(ended.filter((row) => row.isReturned)),
    failed: toGroup(ended.filter((row) => !row.isReturned && row.at >= failedSince)),
    drafts: drafts.length,
  }
}

/** Returns the items that were returned to a maker and not sent again, the newest first. */
export async function readReturned(
  pool: Queryable,
  { applicationId, id }: { applicationId: string; id: string },
  now: Date,
): Promise<OwnTransaction[]> {
  const since = new Date(now.getTime() - RETURNED_DAYS * DAY_MS)
  const ended = await selectOwnEnded(pool, applicationId, { personId: id, since, lookedMax: LOOKED_MAX })
  return ended
    .filter((row) => row.isReturned)
    .slice(0, RETURNED_SHOWN)
    .map(toOwn)
}

function toGroup(rows: readonly OwnEndRow[]): MakerOverview['returned'] {
  return { count: rows.length, newest: rows.slice(0, SHOWN).map(toOwn) }
}

function toOwn({ amountMinor, at, isReturned: _, reason, message, ...row }: OwnEndRow): OwnTransaction {
  // The reason that the checker wrote; an end without one has the message that was stored.
  return { ...row, message: reason ?? message, amount: formatMinor(amountMinor), at: at.toISOString() }
}
