import type { TrxClient } from '#server/database/pool.ts'
import { askFirstBefore, makeAllUnconfirmed } from './restored-work-store.ts'

/**
 * Has operators asked before anything is sent to them that may have been sent already: after the point to which a database was restored, its
 * operators went on. What waited to be sent, and what people still approve or resume of the transactions that exist now, is queried first, and
 * sent only after two denials. `now` is later than the creation of each of them. Returns how many rows would have been sent unasked, and how
 * many are open.
 */
export async function askAfterRestore(trx: TrxClient, now: Date): Promise<{ unsent: number; open: number }> {
  // Ids of version 7 begin with the milliseconds of their time.
  const milliseconds = now.getTime().toString(16).padStart(12, '0')
  await askFirstBefore(trx, `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7000-8000-000000000000`)
  return makeAllUnconfirmed(trx)
}
