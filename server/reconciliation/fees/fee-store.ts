import type { Queryable } from '#server/database/pool.ts'
import { AGREED, BILLED_IN_LINE } from '../days/day-store.ts'

/** Days of one wallet, both ends included. */
export type FeeScope = { applicationId: string; wallet: string; from: string; to: string }

const valuesOf = ({ applicationId, wallet, from, to }: FeeScope) => [applicationId, wallet, from, to]

/** SQL: the lines of the days that cost something or should. A failed payment costs nothing. */
const COSTS = `costs as (
  select l.*, case when l.kind = 'payment' then ${BILLED_IN_LINE} else -l.net_minor end as billed_minor,
         case when l.kind = 'payment' then ${AGREED} end as agreed_minor, w.fee_form
    from statement_lines l left join wallets w on w.application_id = l.application_id and w.wallet = l.wallet
   where l.application_id = $1 and l.wallet = $2 and l.local_day between $3 and $4 and l.kind in ('payment', 'fee', 'tax'))`

export type FeeDay = { day: string; payments: number; amountMinor: bigint; agreedMinor: bigint; billedMinor: bigint }

/** The days on which the operator charged something or should have, in order; without an agreement zero is agreed. */
export async function listFeeDays(queryable: Queryable, scope: FeeScope): Promise<FeeDay[]> {
  const { rows } = await queryable.query<FeeDay>(
    `with ${COSTS}
     select local_day::text as day, (count(*) filter (where kind = 'payment'))::integer as payments,
            coalesce(sum(abs(gross_minor)) filter (where kind = 'payment'), 0)::bigint as "amountMinor",
            coalesce(sum(agreed_minor), 0)::bigint as "agreedMinor", sum(billed_minor)::bigint as "billedMinor"
       from costs group by local_day order by local_day`,
    valuesOf(scope),
  )
  return rows
}

/**
 * One position of a claim: a payment whose fee differs, with the fee lines that name it; a fee line that names no payment; or, of an operator that
 * bills monthly, all payments of a day together.
 */
export type ClaimItem = {
  kind: 'payment' | 'line' | 'day'
  at: Date
  day: string
  operatorId: string | null
  ourId: string | null
  phone: string | null
  type: string
  count: number
  amountMinor: bigint
  agreedMinor: bigint
  billedMinor: bigint
}

/**
 * The positions of a claim in order of time, some at a time, through a cursor of the caller's transaction. Their differences add up to those of
 * the days: each fee line is in one position, and payments that are left out were billed as agreed.
 */
export async function* walkClaim(snapshot: Queryable, scope: FeeScope, batchRows: number): AsyncGenerator<ClaimItem[], void, undefined> {
  await snapshot.query(
    `declare fee_claim no scroll cursor for
     with ${COSTS},
     payments as (
       -- Of several payments with one reference, the first bears the fee lines that name it.
       select c.*, row_number() over (partition by c.operator_id order by c.at, c.line_id) as place from costs c where c.kind = 'payment'),
     named as (
       select operator_id, sum(billed_minor) as billed_minor from costs where kind <> 'payment' and operator_id is not null group by operator_id),
     positions as (
       select 'payment' as kind, p.at, p.local_day, p.operator_id, p.our_id, p.phone_forms[1] as phone, p.type, 1 as count,
              abs(p.gross_minor) as amount_minor, coalesce(p.agreed_minor, 0) as agreed_minor,
              p.billed_minor + coalesce(n.billed_minor, 0) as billed_minor, p.line_id
         from payments p left join named n on n.operator_id = p.operator_id and p.place = 1
        where p.fee_form is distinct from 'monthly'
       union all
       select 'day', min(p.at), p.local_day, null, null, null, '', count(*)::integer, sum(abs(p.gross_minor))::bigint,
              coalesce(sum(p.agreed_minor), 0)::bigint, (sum(p.billed_minor) + coalesce(sum(n.billed_minor), 0))::bigint, min(p.line_id)
         from payments p left join named n on n.operator_id = p.operator_id and p.place = 1
        where p.fee_form = 'monthly' group by p.local_day
       union all
       select 'line', c.at, c.local_day, c.operator_id, null, c.phone_forms[1], c.type, 1, 0, 0, c.billed_minor, c.line_id
         from costs c
        where c.kind <> 'payment' and not exists (select from payments p where p.operator_id = c.operator_id))
     select kind, at, local_day::text as day, operator_id as "operatorId", our_id as "ourId", phone, type, count, amount_minor as "amountMinor",
            agreed_minor::bigint as "agreedMinor", billed_minor::bigint as "billedMinor"
       from positions where billed_minor <> agreed_minor order by at, line_id`,
    valuesOf(scope),
  )
  for (;;) {
    const { rows } = await snapshot.query<ClaimItem>(`fetch ${batchRows} from fee_claim`)
    if (rows.length > 0) yield rows
    if (rows.length < batchRows) return
  }
}
