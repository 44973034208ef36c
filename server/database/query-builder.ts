import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Queryable } from './pool.ts'
import type { Database } from './schema.ts'

/**
 * Composes typed statements and never runs one: they run through the same pools and transactions as everything else,
 * see runQuery.
 */
export const queryBuilder = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** What queryBuilder composes, and what Kysely's own `sql` template does: both know their row and their parameters. */
export type Composed<Row> = { compile(executor: typeof queryBuilder): CompiledQuery<Row> }

/** Runs a composed statement on a pool or inside somebody's transaction and returns its rows. */
export async function runQuery<Row>(queryable: Queryable, query: Composed<Row>): Promise<Row[]> {
  const { sql, parameters } = query.compile(queryBuilder)
  const { rows } = await queryable.query(sql, [...parameters])
  // Row is what the statement says it selects; schema.test.ts keeps the table types behind it true.
  return rows as Row[]
}
