import type { TrxClient } from '#server/database/pool.ts'
import { giveUpDeliveries, giveUpResends } from './restored-webhooks-store.ts'

/**
 * Sends nothing again that partners may have received after the point to which the database was restored: what waits is given up, and listed
 * as such. People send it again for a partner who has not received it (`recoverWebhooks`). Returns how many webhooks.
 */
export async function holdAfterRestore(trx: TrxClient): Promise<number> {
  return (await giveUpDeliveries(trx)) + (await giveUpResends(trx))
}
