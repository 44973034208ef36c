import { AsyncResource } from 'node:async_hooks'
import type { Result } from '#lib/result.ts'
import { retryWithBackoff } from '#server/retry.ts'
import { type Database, type Pool, type Queryable, type TrxClient, withStatementLimit } from './pool.ts'

const RETRYABLE = new Set(['40001', '40P01'])
/** How statements and transactions are repeated that PostgreSQL cancelled because of others: a bounded number of times, with jitter. */
export const RETRY_CANCELLED = { attemptsMax: 4, backoff: { firstMs: 10, maxMs: 60 }, isRetryable }

/**
 * Runs `work` inside one database transaction. A throw and a Result that is not ok both roll back: a refusal never
 * leaves half a command behind. Deadlocks and serialization failures are retried three times with jitter, so `work`
 * may run more than once and must have no effect outside the database.
 *
 * Given the client of an open transaction, `work` becomes a part of that one: a refusal undoes only what `work` did, and a deadlock is
 * passed to the caller, whose whole transaction has to run again.
 */
export async function withTransaction<Value, Failure>(
  database: Database,
  work: (trx: TrxClient) => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure>> {
  if (isTrxClient(database)) return runAsPart(database, work)
  return retryWithBackoff(() => runOnce(database, work), RETRY_CANCELLED)
}

function isTrxClient(database: Database): database is TrxClient {
  return 'release' in database
}

async function runAsPart<Value, Failure>(
  trx: TrxClient,
  work: (trx: TrxClient) => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure>> {
  await trx.query('savepoint part')
  const result = await work(trx)
  if (!result.ok) await trx.query('rollback to savepoint part')
  // A rollback keeps its savepoint, and the name always means the newest: the part around this one has to find its own again.
  await trx.query('release savepoint part')
  return result
}

async function runOnce<Value, Failure>(
  pool: Pool,
  work: (trx: TrxClient) => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure>> {
  const trx = await pool.connect()
  let broken: Error | undefined
  try {
    await trx.query('begin')
    const result = await work(trx)
    await trx.query(result.ok ? 'commit' : 'rollback')
    return result
  } catch (error) {
    await trx.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw error
  } finally {
    trx.release(broken)
  }
}

/** Thrown inside `work` when what it read changed under it: everything is rolled back and `work` runs again, as after a deadlock. */
export class ChangedMeanwhileError extends Error {
  readonly code = '40001'
}

/** True for errors after which PostgreSQL asks the client to run the whole transaction again. */
function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && RETRYABLE.has(error.code)
}

/** True for a statement that failed for what was in it (SQLSTATE classes 22, 23 and 54), not for the state of the server. */
export function isDataError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(2[23]|54)/.test(error.code)
}

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

/** Ends each statement of a transaction that takes longer. */
export async function limitStatements(trx: TrxClient, timeoutMs: number): Promise<void> {
  await trx.query("select set_config('statement_timeout', $1, true)", [String(timeoutMs)])
}

/** Keeps each statement of this transaction to one core: long work of a task must leave the others to payments. */
export async function keepToOneCore(trx: TrxClient): Promise<void> {
  await trx.query('set local max_parallel_workers_per_gather = 0')
}
