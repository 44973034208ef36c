import { formatMinor, parseMinor } from '#lib/money/money.ts'
import type { ReportedProof, WalletDayDto } from '#lib/reconciliation/days.ts'
import type { Queryable } from '#server/database/pool.ts'
import { balanceOf } from '../wallets/read-balances.ts'
import { listBalancesAround, type SetWallet } from '../wallets/wallet-store.ts'

/**
 * Compares the lines of a day with the balances that the operator reported around it, where the statement itself prints none: MTN and Orange in
 * Cameroon. Null if the statement prints a balance, covers the day not at all, or nothing was reported shortly before either end.
 */
export async function readReportedProof(
  queryable: Queryable,
  applicationId: string,
  { wallet, compared }: { wallet: SetWallet; compared: WalletDayDto },
): Promise<ReportedProof | null> {
  if (!compared.isCovered || compared.proof !== null) return null
  const reported = await listBalancesAround(queryable, applicationId, { wallet, day: compared.day })
  const [opening, closing] = (['opening', 'closing'] as const).map((edge) => reported.find((each) => each.edge === edge))
  if (!opening || !closing) return null
  const [before, after] = [balanceOf(wallet, opening), balanceOf(wallet, closing)]
  if (before === null || after === null) return null
  const moved = parseMinor(compared.rows.find(({ name }) => name === 'movement')?.statement ?? '0')
  return {
    openedAt: opening.checkedAt.toISOString(),
    closedAt: closing.checkedAt.toISOString(),
    opening: formatMinor(before),
    difference: formatMinor(after - before - moved),
  }
}
