import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { ok } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockDaysShared } from '../wallet-book/wallet-book-store.ts'
import { insertTransferPairs, lockTransfers } from './transfer-store.ts'

/**
 * Pairs the two lines of transfers between the wallets of one operator since a day, with the move of the ledger that they are. A pair without a move
 * is posted in the wallet book once no move can be near. Transfers that cannot be told apart are left for a person.
 */
export async function pairTransfers(
  pool: Pool,
  { applicationId, wallet, sinceDay, now }: { applicationId: string; wallet: string; sinceDay: string; now: Date },
): Promise<void> {
  const operator = WALLETS.find((each) => each.wallet === wallet)?.operator
  const wallets = WALLETS.flatMap((each) => (each.operator === operator ? [each.wallet] : [])).toSorted()
  if (!operator || wallets.length < 2) return
  await withTransaction<null, never>(pool, async (trx) => {
    for (const each of wallets) await lockDaysShared(trx, applicationId, each)
    await lockTransfers(trx, applicationId, operator)
    await insertTransferPairs(trx, { applicationId, operator, wallets, sinceDay, now })
    return ok(null)
  })
}
