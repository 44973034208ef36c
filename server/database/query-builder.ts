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

/** Runs a composed statement on a pool or inside somebody's transaction and returns its rows. */
export async function runQuery<Row>(queryable: Queryable, query: { compile(): CompiledQuery<Row> }): Promise<Row[]> {
  const { sql, parameters } = query.compile()
  const { rows } = await queryable.query(sql, [...parameters])
  // The builder's Row type is what the statement selects; the catalogue test keeps the table types true.
  return rows as Row[]
}
