import type { Availability } from '#lib/operators/operator-outcomes.ts'
import { AMOUNT_SETTINGS_NAME } from '#lib/operators/operator-settings.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
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

type AvailabilityRow = { operator: OperatorCode; type: TransactionType; state: Availability; since: Date }

/**
 * `fault`: it is CLOSED for a fault of ours, which the settings of `faultVersion` have. `isReopened`: the settings were saved since, and the next
 * submission tries them.
 */
type CircuitRow = AvailabilityRow & { fault: string | null; faultVersion: string | null; isReopened: boolean }

/** The directions whose availability ever changed; every other one is OPERATIONAL. */
export async function listAvailability(queryable: Queryable): Promise<CircuitRow[]> {
  const { rows } = await queryable.query<CircuitRow>({
    name: 'list_availability',
    text: `select operator, type, state, since, fault, fault_version as "faultVersion", coalesce(fault is not null and fault_version <>
             (select string_agg(o.protocol || ' ' || o.version || ' ' || o.operator_settings_id, ', ' order by o.protocol)
                from operator_settings o where o.operator = c.operator and o.protocol <> $1), false) as "isReopened"
             from operator_circuits c order by operator, type`,
    // Other limits mend no fault.
    values: [AMOUNT_SETTINGS_NAME],
  })
  return rows
}

/** The changes of one operator after a time, oldest first, with the last one before it in each direction. */
export async function listAvailabilityChanges(queryable: Queryable, operator: OperatorCode, after: Date): Promise<AvailabilityRow[]> {
  const { rows } = await queryable.query<AvailabilityRow>(
    `select operator, type, state, since from operator_availability a
      where operator = $1 and since >= coalesce(
        (select max(since) from operator_availability b where b.operator = $1 and b.type = a.type and b.since <= $2), $2)
      order by since`,
    [operator, after],
  )
  return rows
}
