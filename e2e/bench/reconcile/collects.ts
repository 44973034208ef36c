import { summarise } from '#e2e/bench/data/history.ts'
import type { Pool } from '#server/database/pool.ts'

const CHUNK = 100_000
export const DAYS = 5
const DAY_SECONDS = 86_400
/** Amounts from 500 to 25,450 units. */
const AMOUNTS = 500

/** How the line of a payment names it: most of them by our id, some by the operator's id, a few only by the phone number. */
type Naming = 'our_id' | 'operator_id' | 'phone'

/** A payment from a customer and the operator's line of it, as a function of its number: equal sizes are equal data. */
export type Collect = { id: string; operatorId: string; naming: Naming; phone: string; amount: number; at: Date }

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')

/** The payment with a number from 1 to `size`; the payments fill the days from `firstMs` on. */
export function collectOf(number: number, size: number, firstMs: number): Collect {
  const digits = hex(number, 12)
  const turn = number % 20
  return {
    id: `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`,
    operatorId: String(20_000_000_000 + number),
    naming: turn < 15 ? 'our_id' : turn < 19 ? 'operator_id' : 'phone',
    phone: `2376${String(number).padStart(8, '0')}`,
    amount: 500 + (number % AMOUNTS) * 50,
    at: new Date(firstMs + Math.floor((number * DAYS * DAY_SECONDS) / (size + 1)) * 1_000),
  }
}

/**
 * Fills an application with `size` payments of MTN Cameroon that succeeded in the days from `firstMs` on: their events, postings, references and
 * sums. They are written in bulk, because intake and transition would take minutes; a statement is compared with no fee of ours, so they have none.
 */
export async function loadCollects(
  pool: Pool,
  { applicationId, size, firstMs, say }: { applicationId: string; size: number; firstMs: number; say: (line: string) => void },
): Promise<void> {
  for (let first = 1; first <= size; first += CHUNK) {
    const last = Math.min(size, first + CHUNK - 1)
    await pool.query(FILL, [applicationId, first, last, new Date(firstMs), size])
    if (last % (CHUNK * 5) === 0) say(`reconcile: ${last} of ${size} payments`)
  }
  await pool.query('insert into operator_reference_marks (application_id, success_until, failed_until) values ($1, $2, 0)', [
    applicationId,
    size,
  ])
  await summarise(pool, applicationId)
}

/** $1 application, $2 and $3 first and last number, $4 the first instant, $5 the number of all. */
const FILL = `with row as materialized (
    select i, (lpad(to_hex(i), 12, '0') || '70008000' || '000000000000')::uuid as id, md5('collect ' || i)::uuid as ext,
           '2376' || lpad(i::text, 8, '0') as phone, (500 + (i % ${AMOUNTS}) * 50) * 100 as amount,
           case when i % 20 < 19 then (20000000000 + i)::text end as reference,
           $4::timestamptz + floor(i * ${DAYS * DAY_SECONDS}.0 / ($5::bigint + 1)) * interval '1 second' as at
      from generate_series($2::bigint, $3::bigint) as i
  ), new_transactions as (
    insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency, amount_minor,
        fee_system_minor, fee_app_minor, customer_name, phone_number, webhook_url, pay_token, operator_reference, source, version, created_at, final_at)
      select $1::uuid, id, i, ext, 'COLLECT', 'SUCCESS', 'MOMOCM', 'XAF', amount, 0, 0, 'Clarisse Mbarga Essomba', phone,
             'https://hooks.partner.example/payments/results', ext, reference, 'api', 2, at - interval '20 seconds', at
        from row
  ), new_references as (
    insert into operator_references (application_id, operator_reference, transaction_id, operator, type)
      select $1::uuid, reference, id, 'MOMOCM', 'COLLECT' from row where reference is not null
  ), new_events as (
    insert into transaction_events (application_id, transaction_id, version, from_status, to_status, event, actor_kind, at, final_sequence)
      select $1::uuid, id, 2, 'PENDING', 'SUCCESS', 'succeeded', 'operator', at, i from row
  ), new_deliveries as (
    insert into webhook_deliveries (application_id, transaction_id, target, state, attempts, next_at, created_at, finished_at)
      select $1::uuid, id, 'https://hooks.partner.example', 'delivered', 1, at, at, at from row
  )
  insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, held_minor, fees_minor,
                               clearing_minor, revenue_minor, at)
    select $1::uuid, id, 'settle', 'MOMOCM', 'XAF', p.collect_minor, p.deposit_minor, p.held_minor, p.fees_minor, p.clearing_minor,
           p.revenue_minor, at
      from row cross join lateral posting_amounts('settle', 'COLLECT', amount, 0, 0) p`
