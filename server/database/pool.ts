import pg from 'pg'

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
}

/** Sends named statements without their names: behind such a PgBouncer the next one may run on another connection. */
class UnpreparedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const query: (...args: unknown[]) => unknown = this.query.bind(this)
    Object.assign(this, { query: (statement: unknown, ...rest: unknown[]) => query(withoutName(statement), ...rest) })
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
    Client: options.preparesStatements === false ? UnpreparedClient : pg.Client,
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
  pool.on('error', () => undefined)
  // The same for a connection that breaks while it is held between two statements: the next statement then rejects.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** What a function needs that runs a statement: a pool, or the client that holds a transaction open. */
export type Queryable = Pick<pg.Pool, 'query'>
export type TrxClient = pg.PoolClient
/** Where a command runs: in a transaction of its own, or as a part of the caller's. */
export type Database = Pool | TrxClient
