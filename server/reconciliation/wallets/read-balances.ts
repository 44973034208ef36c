import { formatMinor } from '#lib/money/money.ts'
import type { Wallet } from '#lib/reconciliation/wallets.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listDailyBalances, listReportedBalances, type ReportedBalance, type SetWallet } from './wallet-store.ts'

/** The balance that an operator reported for one wallet; `ledger` and `difference` are of all its accounts together. Decimals. */
type WalletAccountBalance = {
  checkedAt: string
  reported: string | null
  ledger: string
  difference: string | null
  differsSince: string | null
  /** The unexplained part of the difference. */
  unexplained: string | null
}

/** The balance that each operator reported last for each wallet, and what all its accounts together differ from the ledger. */
export async function readReportedBalances(queryable: Queryable, applicationId: string, wallets: readonly Wallet[]) {
  const balances = await listReportedBalances(queryable, applicationId)
  return new Map(
    wallets.flatMap((wallet) => {
      const found = balances.find(({ operator }) => operator === wallet.operator)
      return found ? [[wallet.wallet, toDto(wallet, found)] as const] : []
    }),
  )
}

/** The last balance of each day of a wallet, as far back as they are kept, newest first. */
export async function readDailyBalances(
  queryable: Queryable,
  applicationId: string,
  wallet: SetWallet,
): Promise<(WalletAccountBalance & { day: string })[]> {
  const days = await listDailyBalances(queryable, { applicationId, operator: wallet.operator, zone: wallet.zone })
  return days.map((each) => ({ ...toDto(wallet, each), day: each.day }))
}

/** The part of what an operator reported that is the balance of one wallet; null if it did not report it. */
export function balanceOf({ account }: Wallet, { collectMinor, depositMinor, reportedMinor }: ReportedBalance): bigint | null {
  return { collect: collectMinor, deposit: depositMinor, both: reportedMinor }[account]
}

function toDto(wallet: Wallet, balance: ReportedBalance): WalletAccountBalance {
  const { reportedMinor, ledgerMinor, checkedAt, differsSince, unexplainedMinor } = balance
  const own = balanceOf(wallet, balance)
  const decimal = (minor: bigint | null) => (minor === null ? null : formatMinor(minor))
  return {
    checkedAt: checkedAt.toISOString(),
    reported: decimal(own),
    ledger: formatMinor(ledgerMinor),
    difference: decimal(reportedMinor === null ? null : reportedMinor - ledgerMinor),
    differsSince: differsSince?.toISOString() ?? null,
    unexplained: decimal(unexplainedMinor),
  }
}
