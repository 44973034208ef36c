import type { Queryable } from '#server/database/pool.ts'
import type { StoredAvailability } from './submission-gate.ts'

/** Stores that a direction has another availability from now on, and what it had before. */
export async function storeAvailability(queryable: Queryable, { operator, type, state }: StoredAvailability): Promise<void> {
  await queryable.query({
    name: 'store_availability',
    text: `with changed as (
             insert into operator_circuits (operator, type, state, since) values ($1, $2, $3, clock_timestamp())
               on conflict (operator, type) do update set state = excluded.state, since = excluded.since
                 where operator_circuits.state <> excluded.state
               returning operator, type, state, since
           ) insert into operator_availability (operator, type, state, since) select operator, type, state, since from changed
             on conflict do nothing`,
    values: [operator, type, state],
  })
}

/** Removes the changes before a time, except for the last of each direction, which says what was then. */
export async function removeAvailabilityBefore(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query(
    `delete from operator_availability a where a.since < $1 and exists (
       select 1 from operator_availability l where l.operator = a.operator and l.type = a.type and l.since > a.since and l.since <= $1)`,
    [before],
  )
}
