import { ok } from '#lib/result.ts'
import { DAY_MS, utcDayOf } from '#lib/time/time.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { insertDays } from '../exceptions/examine-store.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import {
  insertByOperatorId,
  insertByOurId,
  insertByReferenceGroup,
  insertPairs,
  listRecentWallets,
  lockMatching,
  prepareForMany,
  type Scope,
  selectCandidates,
} from './match-store.ts'
import { pairCandidates } from './pair-candidates.ts'

/** How long after its day a line is compared again with transactions that have ended since. */
const REMATCHED_DAYS = 10

/** Matches the lines of a wallet from the first day of a file on that was just stored. Returns the days that this changes. */
export async function matchStored(
  trx: TrxClient,
  { applicationId, wallet, sinceDay, lines }: { applicationId: string; wallet: string; sinceDay: string; lines: number },
): Promise<ReadonlySet<string>> {
  await prepareForMany(trx, lines)
  return match(trx, applicationId, wallet, sinceDay)
}

/** Matches lines of the last days again: their transactions may have ended, or been given a reference, after the statement arrived. */
export async function matchRecent(pool: Pool, now: Date, isEnding: () => boolean = () => false): Promise<void> {
  const sinceDay = utcDayOf(new Date(now.getTime() - REMATCHED_DAYS * DAY_MS))
  for (const { applicationId, wallet } of await listRecentWallets(pool, sinceDay)) {
    if (isEnding()) return
    await withTransaction<null, never>(pool, async (trx) => {
      await insertDays(trx, { applicationId, wallet, days: await match(trx, applicationId, wallet, sinceDay) })
      return ok(null)
    })
  }
}

/** The surest rule first; what one rule has matched is not looked at by the next. The last rule is a person. */
async function match(trx: TrxClient, applicationId: string, walletId: string, sinceDay: string): Promise<ReadonlySet<string>> {
  const wallet = await readWallet(trx, applicationId, walletId)
  if (!wallet) return new Set()
  const scope: Scope = { applicationId, wallet, sinceDay }
  await lockMatching(trx, scope)
  const days = [await insertByOurId(trx, scope), await insertByOperatorId(trx, scope), await insertByReferenceGroup(trx, scope)]
  // A payment that succeeded here is the likelier one. Only then the line may belong to one that failed or is open.
  for (const statuses of [['SUCCESS'], ['PENDING', 'FAILED']]) {
    days.push(await insertPairs(trx, applicationId, pairCandidates(await selectCandidates(trx, scope, statuses))))
  }
  return new Set(days.flat())
}
