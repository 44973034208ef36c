import { ok } from '#lib/result.ts'
import { DAY_MS, utcDayOf } from '#lib/time/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { keepToOneCore, withTransaction } from '#server/database/with-transaction.ts'
import { announceClose } from '../close-revision-store.ts'
import type { DayScope } from '../days/day-store.ts'
import { readKeptSums } from '../days/kept-sums.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { type Examined, insertRecentDays, type OneDay, storeAnswered, storeExamined, takeDays } from './examine-store.ts'

/** How far back days are examined again once a day: a transaction may have ended since its line was matched. */
const EXAMINED_AGAIN_DAYS = 10

/**
 * Opens and closes exceptions: of the days whose lines or matches have changed, and of what operators have said since. The days of one wallet are
 * one database transaction, which takes them off the list.
 */
export async function examineDays(pool: Pool, isEnding: () => boolean = () => false): Promise<void> {
  await withTransaction<null, never>(pool, async (trx) => {
    for (const { applicationId, ...examined } of await storeAnswered(trx)) {
      await announceClose(trx, applicationId)
      await record(trx, applicationId, 'contradictions', examined)
    }
    return ok(null)
  })
  while (!isEnding() && (await examineNext(pool)));
}

/** Examines one day now, if it has changed since it was examined last. */
export async function examineDay(pool: Pool, day: OneDay): Promise<void> {
  await examineNext(pool, day)
}

/** Has all covered days of the last ones examined again. */
export async function examineRecentDays(pool: Pool, now: Date): Promise<void> {
  await insertRecentDays(pool, utcDayOf(new Date(now.getTime() - EXAMINED_AGAIN_DAYS * DAY_MS)))
}

/** Examines the days of one wallet, by default of the next one. Returns whether there were any. */
async function examineNext(pool: Pool, from?: OneDay): Promise<boolean> {
  const examined = await withTransaction<DayScope | null, never>(pool, async (trx) => {
    await keepToOneCore(trx)
    const days = await takeDays(trx, from)
    if (!days) return ok(null)
    const { applicationId } = days
    const wallet = await readWallet(trx, applicationId, days.wallet)
    // A statement of its own after the days were taken: only a new snapshot sees what a transaction that listed them again has committed.
    if (!wallet) throw new Error(`The wallet ${days.wallet} of a day does not exist`)
    const scope = { applicationId, wallet, from: days.from, to: days.to }
    const stored = await storeExamined(trx, scope)
    // Also where no exception was opened or closed: the class or the amount of one may be another, and the day has been compared.
    await announceClose(trx, applicationId)
    await record(trx, applicationId, days.wallet, stored)
    return ok(scope)
  })
  if (!examined.ok || !examined.value) return false
  // Before somebody opens their pages.
  await readKeptSums(pool, examined.value)
  return true
}

async function record(trx: TrxClient, applicationId: string, subject: string, examined: Examined): Promise<void> {
  if (examined.opened + examined.reopened + examined.closed === 0) return
  await appendAudit(trx, { applicationId, actor: SYSTEM_ACTOR, action: 'exceptions.examined', subject, details: { ...examined } })
}
