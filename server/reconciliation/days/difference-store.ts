import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { DayClass } from '#lib/reconciliation/days.ts'
import type { Queryable } from '#server/database/pool.ts'
import { ADJUSTMENTS } from '#server/ledger/ledger-store.ts'
import { BOOKED, classed, type DayScope, valuesOf } from './day-store.ts'

/** The part of one line or one posting in statement less ours. */
export type Difference = {
  class: DayClass
  at: Date
  minor: bigint
  lineId: bigint | null
  operatorId: string | null
  phone: string | null
  type: string
  status: string | null
  transactionId: string | null
  application: string | null
  adjustments: AdjustmentKind[]
}

/**
 * SQL: every line and posting of the days that adds to the difference. A line that we booked on its day adds its fee and a difference of the
 * amount; our posting of it is left out. What the wallet book has is subtracted.
 */
const DIFFERENCES = `with ${classed('as signed')}, ${BOOKED},
  parts as (
    select l.class, l.at, l.line_id, l.operator_id, l.phone_forms[1] as phone, l.type, l.matched_application_id as ledger_id, l.transaction_id,
           l.net_minor - case when l.class in ('matched', 'fee_differs', 'amount_differs') and l.is_same_day
                              then sign(l.gross_minor) * l.same_day_minor else 0 end as minor
      from lines l
    union all
    select c.class, c.at, null, null, null, c.kind, c.application_id,
           case when c.kind in ('settle', 'late', 'reverse') then c.subject_id end, -c.effect_minor
      from classed c where c.class <> 'matched'
    union all
    select 'book_' || b.kind, b.at, b.line_id, null, null, b.kind, null, null, -b.wallet_minor
      from wallet_postings b where b.application_id = $1 and b.wallet = $2 and b.day between $3 and $4 and b.kind <> 'opening')
  select p.class, p.at, p.minor::bigint as minor, p.line_id as "lineId", coalesce(p.operator_id, t.operator_reference) as "operatorId",
         coalesce(p.phone, t.phone_number) as phone, p.type, t.status, t.transaction_id as "transactionId", a.name as application,
         ${ADJUSTMENTS} as adjustments
    from parts p
    left join transactions t on t.application_id = p.ledger_id and t.transaction_id = p.transaction_id
    left join applications a on a.application_id = p.ledger_id
   where p.minor <> 0`

/** The largest parts of the difference of the days, each with its sign. */
export async function listLargestDifferences(queryable: Queryable, scope: DayScope, limit: number): Promise<Difference[]> {
  const { rows } = await queryable.query<Difference>(`${DIFFERENCES} order by abs(p.minor) desc, p.at, p.line_id limit $11`, [
    ...valuesOf(scope),
    limit,
  ])
  return rows
}

/** All parts in order of time, some at a time, through a cursor of the caller's transaction. Their sum is statement less ours. */
export async function* walkDifferences(
  snapshot: Queryable,
  scope: DayScope,
  batchRows: number,
): AsyncGenerator<Difference[], void, undefined> {
  await snapshot.query(`declare day_difference no scroll cursor for ${DIFFERENCES} order by p.at, p.line_id`, valuesOf(scope))
  for (;;) {
    const { rows } = await snapshot.query<Difference>(`fetch ${batchRows} from day_difference`)
    if (rows.length > 0) yield rows
    if (rows.length < batchRows) return
  }
}
