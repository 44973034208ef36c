import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { FeeDayDto, WalletFeesDto } from '#lib/reconciliation/fees.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listWallets, type SetWallet } from '../wallets/wallet-store.ts'
import { type FeeDay, listFeeDays } from './fee-store.ts'

/** The fees of a wallet on its operator's days, as agreed and as billed. */
export async function readWalletFees(
  queryable: Queryable,
  applicationId: string,
  wallet: SetWallet,
  { from, to }: { from: string; to: string },
): Promise<WalletFeesDto> {
  const days = await listFeeDays(queryable, { applicationId, wallet: wallet.wallet, from, to })
  const hasRule = wallet.feePpm !== null
  const total = days.reduce(
    (sum, each) => ({
      payments: sum.payments + each.payments,
      amountMinor: sum.amountMinor + each.amountMinor,
      agreedMinor: sum.agreedMinor + each.agreedMinor,
      billedMinor: sum.billedMinor + each.billedMinor,
    }),
    { payments: 0, amountMinor: 0n, agreedMinor: 0n, billedMinor: 0n },
  )
  return {
    wallet: wallet.wallet,
    currency: OPERATORS[wallet.operator].country.currency,
    days: days.map(({ day, ...each }) => ({ day, ...toDto(each, hasRule) })),
    total: toDto(total, hasRule),
  }
}

/** The same of every wallet whose statements have payments or fees on these days. */
export async function listWalletFees(
  queryable: Queryable,
  applicationId: string,
  range: { from: string; to: string },
): Promise<WalletFeesDto[]> {
  const found: WalletFeesDto[] = []
  for (const wallet of await listWallets(queryable, applicationId)) {
    const fees = await readWalletFees(queryable, applicationId, wallet, range)
    if (fees.days.length > 0) found.push(fees)
  }
  return found
}

function toDto({ payments, amountMinor, agreedMinor, billedMinor }: Omit<FeeDay, 'day'>, hasRule: boolean): Omit<FeeDayDto, 'day'> {
  return {
    payments,
    amount: formatMinor(amountMinor),
    agreed: hasRule ? formatMinor(agreedMinor) : null,
    billed: formatMinor(billedMinor),
    difference: hasRule ? formatMinor(billedMinor - agreedMinor) : null,
  }
}
