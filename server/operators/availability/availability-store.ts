import type { Queryable } from '#server/database/pool.ts'
import type { StoredAvailability } from './submission-gate.ts'

/** Stores that a direction has another availability from now on. */
export async function storeAvailability(queryable: Queryable, { operator, type, state }: StoredAvailability): Promise<void> {
  await queryable.query({
    name: 'store_availability',
    text: `insert into operator_circuits (operator, type, state, since) values ($1, $2, $3, clock_timestamp())
           on conflict (operator, type) do update set state = excluded.state, since = excluded.since
             where operator_circuits.state <> excluded.state`,
    values: [operator, type, state],
  })
}
