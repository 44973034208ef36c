import { ok } from '#lib/result.ts'
import { DAY_MS, utcDayOf } from '#lib/time/time.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { keepToOneCore, withTransaction } from '#server/database/with-transaction.ts'
import { insertDays } from '../exceptions/examine-store.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import {
  insertByOperatorId,
  insertByOurId,
  insertByReferenceGroup,
  insertPairs,
  listOpenLines,
  listRecentWallets,
  lockMatching,
  prepareForMany,
  type Scope,
  selectCandidates,
} from './match-store.ts'
import { PAIRED_STATUSES, pairCandidates } from './pair-candidates.ts'
import { pairTransfers } from './pair-transfers.ts'
import { readMatchingRules } from './rules-store.ts'

/** How long after its day a line is compared again with transactions that have ended since. */
const REMATCHED_DAYS = 10
/** Open lines that are passed to the rules one by one. */
const FEW_LINES = 20_000

/** Matches the lines of a wallet from the first day of a file on that was just stored. Returns the days that this changes. */
export async function matchStored(
  trx: TrxClient,
  { applicationId, wallet, sinceDay, lines }: { applicationId: string; wallet: string; sinceDay: string; lines: number },
): Promise<ReadonlySet<string>> {
  await prepareForMany(trx, lines)
  const scope = await lockScope(trx, applicationId, wallet, sinceDay)
  return scope ? match(trx, scope) : new Set()
}

/**
 * Matches lines of the last days again: their transactions may have ended, or been given a reference, after the statement arrived. Pairs the lines
 * of own transfers.
 */
export async function matchRecent(pool: Pool, now: Date, isEnding: () => boolean = () => false): Promise<void> {
  const sinceDay = utcDayOf(new Date(now.getTime() - REMATCHED_DAYS * DAY_MS))
  for (const { applicationId, wallet } of await listRecentWallets(pool, sinceDay)) {
    if (isEnding()) return
    await withTransaction<null, never>(pool, async (trx) => {
      await keepToOneCore(trx)
      const scope = await lockScope(trx, applicationId, wallet, sinceDay)
      const lineIds = scope ? await listOpenLines(trx, scope, FEW_LINES + 1) : []
      if (!scope || lineIds.length === 0) return ok(null)
      // Few of many lines are open: each rule looks at those, instead of searching all lines for them.
      const days = await match(trx, lineIds.length > FEW_LINES ? scope : { ...scope, of: { lineIds } })
      await insertDays(trx, { applicationId, wallet, days })
      return ok(null)
    })
    await pairTransfers(pool, { applicationId, wallet, sinceDay, now })
  }
}

async function lockScope(trx: TrxClient, applicationId: string, walletId: string, sinceDay: string): Promise<Scope | undefined> {
  const wallet = await readWallet(trx, applicationId, walletId)
  if (!wallet) return undefined
  const rules = await readMatchingRules(trx, applicationId, walletId)
  const scope: Scope = { applicationId, wallet, rules, of: { sinceDay } }
  await lockMatching(trx, scope)
  return scope
}

/** The surest rule first; what one rule has matched is not looked at by the next. The last rule is a person. */
async function match(trx: TrxClient, scope: Scope): Promise<ReadonlySet<string>> {
  const days = [await insertByOurId(trx, scope), await insertByOperatorId(trx, scope), await insertByReferenceGroup(trx, scope)]
  if (scope.rules.numberPairs === 'none') return new Set(days.flat())
  for (const statuses of PAIRED_STATUSES) {
    days.push(await insertPairs(trx, scope, pairCandidates(await selectCandidates(trx, scope, { statuses }), scope.rules.numberPairs)))
  }
  return new Set(days.flat())
}
