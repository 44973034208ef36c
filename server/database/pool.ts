import { AsyncResource } from 'node:async_hooks'
import pg from 'pg'
import { markIfAway } from './database-away.ts'
import { LimitedClient, STATEMENT_LIMIT_MS } from './statement-limit.ts'

// int8 arrives as text and becomes a bigint: money and counters never pass through a float. Set for the whole process,
// before any pool exists, and used by the tests too.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))
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
