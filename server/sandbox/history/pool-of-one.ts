import type { Pool, TrxClient } from '#server/database/pool.ts'

/**
 * Returns a pool whose only connection is an open transaction. The transactions of commands become savepoints of it, so that all of them
 * are committed or none. One command at a time.
 */
export function poolOfOne(trx: TrxClient): Pool {
  const spelled: Record<string, string> = {
    begin: 'savepoint command',
    commit: 'release savepoint command',
    rollback: 'rollback to savepoint command',
  }
  const query = (first: unknown, ...others: unknown[]) =>
    Reflect.apply(trx.query, trx, [typeof first === 'string' ? (spelled[first] ?? first) : first, ...others])
  const client = new Proxy(trx, {
    get(target, name) {
      if (name === 'query') return query
      if (name === 'release') return () => undefined
      return Reflect.get(target, name)
    },
  })
  const pool: Pick<Pool, 'query' | 'connect'> = { query: query as Pool['query'], connect: (async () => client) as Pool['connect'] }
  return pool as Pool
}
