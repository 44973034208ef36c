import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { connect, Socket } from 'node:net'
import pg from 'pg'
import { processWide } from '#server/process-wide.ts'
import { markIfAway } from './database-away.ts'

// int8 arrives as text and becomes a bigint: money and counters never pass through a float. Set for the whole process,
// before any pool exists, and used by the tests too.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))
// int8[] too, of which pg makes texts: two texts compare by their digits from the left. pg names neither type.
const [TEXT_ARRAY, INT8_ARRAY] = [1009, 1016]
const readTexts: (text: string) => (string | null)[] = pg.types.getTypeParser(TEXT_ARRAY)
pg.types.setTypeParser(INT8_ARRAY, (text) => readTexts(text).map((each) => (each === null ? null : BigInt(each))))
// numeric only comes from sum(bigint); a fraction there is a bug and throws.
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => BigInt(text))
// A date is a calendar day, not an instant in the server's zone.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

export type Pool = pg.Pool
type PoolOptions = {
  databaseUrl: string
  connectionsMax: number
  applicationName: string
  /** False behind a PgBouncer in transaction mode that does not follow prepared statements. Default true. */
  preparesStatements?: boolean
  /** How long a statement may take without a limit of its own (statement-limit.ts). Default: 15 s. */
  statementLimitMs?: number
}

/** The class of a pool's connections. */
function clientOf({ preparesStatements = true, statementLimitMs = STATEMENT_LIMIT_MS }: PoolOptions): typeof pg.Client {
  return class extends LimitedClient {
    constructor(config: pg.ClientConfig = {}) {
      super(config, statementLimitMs)
      if (preparesStatements) return
      // Behind such a PgBouncer the next statement may run on another connection.
      const query: (...args: unknown[]) => unknown = this.query
      Object.assign(this, { query: (statement: unknown, ...rest: unknown[]) => query(withoutName(statement), ...rest) })
    }
  }
}

function withoutName(statement: unknown): unknown {
  const isNamed =
    typeof statement === 'object' && statement !== null && Object.getPrototypeOf(statement) === Object.prototype && 'name' in statement
  return isNamed ? { ...statement, name: undefined } : statement
}

/**
 * Opens a pool. `connectionsMax` is per process; a statement that waits longer than ten seconds for a connection throws.
 * Idle clients that break (a database restart) are dropped and replaced on the next use.
 */
export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    Client: clientOf(options),
    connectionString: options.databaseUrl,
    max: options.connectionsMax,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // A plan is kept as long as its connection: a fresh connection plans for the tables as they have grown.
    maxLifetimeSeconds: 300,
    keepAlive: true,
  })
  // Without a listener a broken idle connection would end the process. The statement that needs the database reports that it is away.
  // biome-ignore lint/plugin/no-silent-error: the comment above says why.
  pool.on('error', () => undefined)
  // The same for a connection that breaks while it is held between two statements: the next statement then rejects.
  pool.on('connect', (client) => client.on('error', markIfAway))
  const connect = pool.connect.bind(pool)
  Object.assign(pool, {
    connect(callback?: (...results: unknown[]) => void) {
      if (!callback)
        return connect().catch((error: unknown) => {
          throw markIfAway(error)
        })
      // `pool.query` waits for a connection with a callback; the caller that releases one calls it, and it would run with their limit.
      const inContext = AsyncResource.bind(callback)
      return connect((error, ...rest) => inContext(markIfAway(error), ...rest))
    },
  })
  return pool
}

/** The interface for running a statement: a pool, or the client that holds a transaction open. */
export type Queryable = Pick<pg.Pool, 'query'>
export type TrxClient = pg.PoolClient
/** Where a command runs: in a transaction of its own, or as a part of the caller's. */
export type Database = Pool | TrxClient

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    statementLimits: AsyncLocalStorage<number>
  }
}

/** A statement without an answer within this time ends, unless its work has a limit of its own. */
const STATEMENT_LIMIT_MS = 15_000
/** Of scheduled tasks, which sum and remove rows of many months. */
export const TASK_STATEMENT_LIMIT_MS = 10 * 60_000
/** For pools whose statements may take as long as they need: migrations, seeds and the tools of the command line. */
export const NO_STATEMENT_LIMIT_MS = Number.POSITIVE_INFINITY
const CANCEL_LIMIT_MS = 5_000
/** The code of a cancel request in PostgreSQL's protocol. */
const CANCEL_CODE = 80_877_102

const limits = () => processWide('statementLimits', () => new AsyncLocalStorage())

/** No answer came in time: whether the statement took effect is unknown. Its connection is closed. */
class StatementTimeoutError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(limitMs: number) {
    super(`PostgreSQL did not answer a statement within ${limitMs / 1_000} s`)
    this.name = 'StatementTimeoutError'
  }
}

/** Runs `work`, whose statements may each take `limitMs` instead of the limit of their pool. */
export function withStatementLimit<Value>(limitMs: number, work: () => Value): Value {
  return limits().run(limitMs, work)
}

/**
 * Ends a statement that has no answer within the limit: it rejects with an error whose code is ETIMEDOUT, PostgreSQL is asked to cancel it,
 * and its connection is closed, because an answer that comes later would be taken for that of the next statement. The limit is measured
 * here and not by `statement_timeout`: a server that is silent measures nothing, and PgBouncer refuses that setting at the start of a session.
 */
class LimitedClient extends pg.Client {
  constructor(config: pg.ClientConfig, poolLimitMs: number) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    const query: (...args: unknown[]) => unknown = this.query.bind(this)
    Object.assign(this, {
      query: (...args: unknown[]) => {
        const limitMs = limits().getStore() ?? poolLimitMs
        const giveUp = () => {
          requestCancel(this)
          socket.destroy(new StatementTimeoutError(limitMs))
        }
        const timer = Number.isFinite(limitMs) ? setTimeout(giveUp, limitMs) : undefined
        const end = (error: unknown) => {
          clearTimeout(timer)
          return markIfAway(error)
        }
        const callback = args.at(-1)
        if (typeof callback === 'function')
          return query(...args.slice(0, -1), (error: unknown, result: unknown) => callback(end(error), result))
        return Promise.resolve(query(...args)).then(
          (result) => {
            end(undefined)
            return result
          },
          (error: unknown) => {
            throw end(error)
          },
        )
      },
    })
  }
}

/**
 * Asks the server over another connection to cancel what this one runs: otherwise a statement that waits for a lock would go on waiting, and
 * take effect later. No answer is defined, and nothing is lost if the request does not arrive.
 */
function requestCancel(client: pg.Client): void {
  const processId: unknown = Reflect.get(client, 'processID')
  const secretKey: unknown = Reflect.get(client, 'secretKey')
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return
  const message = Buffer.alloc(16)
  for (const [index, value] of [16, CANCEL_CODE, processId, secretKey].entries()) message.writeInt32BE(value, index * 4)
  const isFolder = client.host.startsWith('/')
  const socket = isFolder ? connect(`${client.host}/.s.PGSQL.${client.port}`) : connect(client.port, client.host)
  socket.setTimeout(CANCEL_LIMIT_MS, () => socket.destroy())
  // A server that cannot be reached cancels nothing; the statement was already answered as unknown.
  // biome-ignore lint/plugin/no-silent-error: the comment above says why.
  socket.on('error', () => undefined)
  socket.end(message)
  socket.unref()
}

export type Pools = {
  /** Everything that moves or decides about money, and who is calling. */
  pool: Pool
  /** Lists, totals and exports: on the replica where there is one. Money is never decided from it. */
  reportPool: Pool
}

type PoolsOptions = {
  databaseUrl: string
  /** Undefined: reports read from the primary. */
  databaseReplicaUrl: string | undefined
  /** Connections of the process to the primary, reports included where there is no replica. */
  poolSize: number
  preparesStatements: boolean
  role: string
}

/** Of the connections to the primary, how many reports may hold: enough for pages, and payments always find others. */
const REPORT_SHARE = 3 / 8

/**
 * Opens the two pools of a process. Reports have connections of their own also without a replica: any number of slow
 * reports leaves payments theirs.
 */
export function openPools({ databaseUrl, databaseReplicaUrl, poolSize, preparesStatements, role }: PoolsOptions): Pools {
  const reportConnections = databaseReplicaUrl ? poolSize : Math.max(1, Math.floor(poolSize * REPORT_SHARE))
  return {
    pool: createPool({
      databaseUrl,
      connectionsMax: databaseReplicaUrl ? poolSize : poolSize - reportConnections,
      applicationName: `countersign ${role}`,
      preparesStatements,
    }),
    reportPool: createPool({
      databaseUrl: databaseReplicaUrl ?? databaseUrl,
      connectionsMax: reportConnections,
      applicationName: 'countersign reports',
      preparesStatements,
    }),
  }
}
