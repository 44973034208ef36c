import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

/** The account for deposits at each operator, of all applications together, in hundredths. */
export type FloatRow = {
  operator: OperatorCode
  /** The balance that the operator reported within the last hour. */
  reportedMinor: bigint | null
  ledgerMinor: bigint
  heldMinor: bigint
  waitingMinor: bigint
}

/** `isShared`: the operators at which collects arrive in the same account. A few rows per application, and the deposits that wait for approval. */
export async function selectFloats(queryable: Queryable, shared: readonly OperatorCode[], now: Date): Promise<FloatRow[]> {
  const { rows } = await queryable.query<FloatRow>(
    `with books as (
       select operator, sum(deposit_minor + held_minor + case when operator = any ($1) then collect_minor else 0 end)::bigint as ledger_minor,
              sum(held_minor)::bigint as held_minor
         from ledger_balances group by 1
     ), waiting as (
       select t.operator, sum(t.amount_minor)::bigint as waiting_minor
         from applications a join transactions t on t.application_id = a.application_id and t.is_waiting
        where t.type = 'DEPOSIT' group by 1
     )
     select b.operator, coalesce(r.deposit_minor, case when b.operator = any ($1) then r.collect_minor end) as "reportedMinor",
            b.ledger_minor as "ledgerMinor", b.held_minor as "heldMinor", coalesce(w.waiting_minor, 0) as "waitingMinor"
       from books b
       left join waiting w using (operator)
       left join operator_balances r on r.operator = b.operator and r.checked_at > $2::timestamptz - interval '1 hour'`,
    [shared, now],
  )
  return rows
}

export type FlowRow = { operator: OperatorCode; weekHour: number; outMinor: bigint; inMinor: bigint; firstHour: Date }

/** The sums that succeeded in each hour of the week since an instant, by the hour in which it was sent to the operator: sums by hour, no payments. */
export async function selectFlows(queryable: Queryable, since: Date, until: Date): Promise<FlowRow[]> {
  const { rows } = await queryable.query<FlowRow>(
    `select operator, ((extract(epoch from hour) / 3600)::bigint % 168)::integer as "weekHour",
            sum(out_minor)::bigint as "outMinor", sum(in_minor)::bigint as "inMinor", min(min(hour)) over () as "firstHour"
       from operator_flows where hour >= $1 and hour < date_trunc('hour', $2::timestamptz)
      group by 1, 2`,
    [since, until],
  )
  return rows
}
