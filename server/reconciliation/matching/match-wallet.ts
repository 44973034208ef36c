import { findWallet } from '#lib/reconciliation/wallets.ts'
import { ok } from '#lib/result.ts'
import { DAY_MS, utcDayOf } from '#lib/time/time.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findLastMatchEvent, insertMatchedDays } from '../exceptions/examine-store.ts'
import {
  findFirstDay,
  insertByOperatorId,
  insertByOurId,
  insertByReferenceGroup,
  insertPairs,
  listRecentWallets,
  lockMatching,
  type Scope,
  selectCandidates,
} from './match-store.ts'
import { pairCandidates } from './pair-candidates.ts'

/** How long after its day a line is compared again with transactions that have ended since. */
const REMATCHED_DAYS = 10

/** Matches the lines of a file that was just imported. */
export async function matchWallet(
  trx: TrxClient,
  { applicationId, wallet, fileId, now }: { applicationId: string; wallet: string; fileId: string; now: Date },
): Promise<void> {
  const sinceDay = (await findFirstDay(trx, applicationId, fileId)) ?? utcDayOf(now)
  await match(trx, applicationId, wallet, sinceDay)
}

/** Matches lines of the last days again: their transactions may have ended, or been given a reference, after the statement arrived. */
export async function matchRecent(pool: Pool, now: Date, isEnding: () => boolean = () => false): Promise<void> {
  const sinceDay = utcDayOf(new Date(now.getTime() - REMATCHED_DAYS * DAY_MS))
  for (const { applicationId, wallet } of await listRecentWallets(pool, sinceDay)) {
    if (isEnding()) return
    await withTransaction<null, never>(pool, async (trx) => {
      const before = await findLastMatchEvent(trx, applicationId)
      await match(trx, applicationId, wallet, sinceDay)
      await insertMatchedDays(trx, applicationId, before)
      return ok(null)
    })
  }
}

/** The surest rule first; what one rule has matched is not looked at by the next. The last rule is a person. */
async function match(trx: TrxClient, applicationId: string, wallet: string, sinceDay: string): Promise<void> {
  const operator = findWallet(wallet)?.operator
  if (!operator) return
  const scope: Scope = { applicationId, wallet, operator, sinceDay }
  await lockMatching(trx, scope)
  await insertByOurId(trx, scope)
  await insertByOperatorId(trx, scope)
  await insertByReferenceGroup(trx, scope)
  // A payment that succeeded here is the likelier one. Only then the line may belong to one that failed or is open.
  for (const statuses of [['SUCCESS'], ['PENDING', 'FAILED']]) {
    await insertPairs(trx, applicationId, pairCandidates(await selectCandidates(trx, scope, statuses)))
  }
}
