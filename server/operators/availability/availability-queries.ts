import type { Availability } from '#lib/availability.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

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
                from operator_settings o where o.operator = c.operator), false) as "isReopened"
             from operator_circuits c order by operator, type`,
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
