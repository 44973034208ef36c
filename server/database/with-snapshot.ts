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

type Snapshot = { client: TrxClient; close(): Promise<void> }

/** The same view, held open while a caller reads from it piece by piece. The caller always closes it. */
export async function openSnapshot(pool: Pool): Promise<Snapshot> {
  const client = await pool.connect()
  let isClosed = false
  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    let broken: Error | undefined
    await client.query('rollback').catch((error: Error) => {
      broken = error
    })
    client.release(broken)
  }
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    return { client, close }
  } catch (error) {
    await close()
    throw error
  }
}
