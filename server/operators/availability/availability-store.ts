import type { Queryable } from '#server/database/pool.ts'
import type { AvailabilityChange } from './submission-gate.ts'

/**
 * Stores that a direction has another availability from now on, and what it had before. A direction that is closed for a fault of its settings
 * stays so, whatever a process says that has not met the fault.
 */
export async function storeAvailability(queryable: Queryable, change: AvailabilityChange): Promise<void> {
  const { operator, type, state, fault, settingsVersion } = change
  await queryable.query({
    name: 'store_availability',
    text: `with changed as (
             insert into operator_circuits (operator, type, state, since, fault, fault_version)
               values ($1, $2, $3, clock_timestamp(), $4, case when $4::text is not null then $5::text end)
               on conflict (operator, type) do update
                 set state = excluded.state, fault = excluded.fault, fault_version = excluded.fault_version,
                     since = case when operator_circuits.state = excluded.state then operator_circuits.since else excluded.since end
                 where (operator_circuits.fault is null or excluded.fault is not null or operator_circuits.fault_version is distinct from $5)
                   and (operator_circuits.state <> excluded.state or operator_circuits.fault is distinct from excluded.fault
                     or operator_circuits.fault_version is distinct from excluded.fault_version)
               returning operator, type, state, since
           ) insert into operator_availability (operator, type, state, since) select operator, type, state, since from changed
             on conflict do nothing`,
    values: [operator, type, state, fault ?? null, settingsVersion ?? ''],
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
