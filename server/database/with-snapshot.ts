import type { Pool, TrxClient } from './pool.ts'

/** Runs `read` on one unchanging view of the database: what others commit meanwhile is not seen. It cannot write. */
export async function withSnapshot<Value>(pool: Pool, read: (snapshot: TrxClient) => Promise<Value>): Promise<Value> {
  const snapshot = await pool.connect()
  let broken: Error | undefined
  try {
    await snapshot.query('begin transaction isolation level repeatable read read only')
    return await read(snapshot)
  } finally {
    await snapshot.query('rollback').catch((error: Error) => {
      broken = error
    })
    snapshot.release(broken)
  }
}
