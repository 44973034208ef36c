import { AsyncResource } from 'node:async_hooks'
import type { Pool, Queryable, TrxClient } from './pool.ts'
import { withStatementLimit } from './statement-limit.ts'

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

/** For files, whose statements may look through months for few rows. */
const PIECE_LIMIT_MS = 2 * 60_000

type Snapshot = { client: Queryable; close(): Promise<void> }

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
    return { client: { query: withStatementLimit(PIECE_LIMIT_MS, () => AsyncResource.bind(client.query.bind(client))) }, close }
  } catch (error) {
    await close()
    throw error
  }
}
