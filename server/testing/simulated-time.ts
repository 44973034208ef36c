import type { Pool, TrxClient } from '#server/database/pool.ts'

/** Runs `work` in a transaction of a sandbox database in which each item may carry a time of its own. */
export async function inSimulatedTime<Value>(pool: Pool, work: (trx: TrxClient) => Promise<Value>): Promise<Value> {
  const trx = await pool.connect()
  try {
    await trx.query('begin')
    await trx.query("select set_config('countersign.simulated_time', now()::text, true)")
    const value = await work(trx)
    await trx.query('commit')
    return value
  } catch (error) {
    await trx.query('rollback')
    throw error
  } finally {
    trx.release()
  }
}
