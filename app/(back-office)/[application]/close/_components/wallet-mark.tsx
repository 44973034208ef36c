import { OperatorMark } from '#components/domain/operator-mark.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'

/** The operator of a wallet and, of an operator with two, which one it is. */
export function WalletMark({ t, wallet }: { t: Translate; wallet: string }) {
  const found = findWallet(wallet)
  if (!found) return wallet
  return (
    <>
      <OperatorMark code={found.operator} />
      {found.account !== 'both' && <span className="block text-second text-quiet">{t(`close.account.${found.account}`)}</span>}
    </>
  )
}
