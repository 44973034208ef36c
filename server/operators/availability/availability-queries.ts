import type { Availability } from '#lib/availability.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

type AvailabilityRow = { operator: OperatorCode; type: TransactionType; state: Availability; since: Date }

/** The directions whose availability ever changed; every other one is OPERATIONAL. */
export async function listAvailability(queryable: Queryable): Promise<AvailabilityRow[]> {
  const { rows } = await queryable.query<AvailabilityRow>({
    name: 'list_availability',
    text: 'select operator, type, state, since from operator_circuits order by operator, type',
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
