import { randomUUID } from 'node:crypto'
import { defaultSettings, WALLETS } from '#lib/reconciliation/wallets.ts'
import { ok, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { walletNumberOf } from '#server/operators/simulator/statements/wallets.ts'
import { setWallet } from '#server/reconciliation/wallets/set-wallet.ts'

/** Sets the numbers that the simulated operators print, so that a statement of another wallet is refused. */
export async function seedWallets(pool: Pool, applicationId: string, personId: string): Promise<Result<null, unknown>> {
  const actor: PersonCommandActor = { kind: 'person', id: personId, applicationId, roles: ['administrator'] }
  for (const wallet of WALLETS) {
    const number = walletNumberOf(wallet.operator, wallet.account === 'both' ? undefined : wallet.account)
    const set = await setWallet(pool, {
      applicationId,
      wallet: wallet.wallet,
      settings: { ...defaultSettings(wallet), number },
      // Of the posting of an opening balance, which there is none.
      changeId: randomUUID(),
      actor,
    })
    if (!set.ok) return set
  }
  return ok(null)
}
