import { computeFees } from '#lib/money/fees.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { Pool } from '#server/database/pool.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { sealTotals } from '#server/reports/totals/seal-totals.ts'

/** A filled database: `size` transactions of one application over ten years, its phones, and open transactions. */
export type History = { applicationId: string; size: number; phones: number; days: number; successes: number; failures: number }

const CHUNK = 100_000
const DAYS = 3_650
/** Open work does not grow with the past: the same at every size. */
const PENDING = 500
const WAITING = 100
const PER_PHONE = 20
/** Amounts from 25 to 25,000 units, all of them whole. */
const AMOUNTS_MINOR = Array.from({ length: 1_000 }, (_, index) => BigInt(index + 1) * 2_500n)

/**
 * Fills a database whose application `applicationId` has its funding and nothing else: transactions with their events, postings, deliveries
 * and open work, then balances, roll-ups and counters calculated from them. Intake and transition would take about 0.1 ms per row and step,
 * which is minutes per million, so the rows are written in bulk. The fees are those of `computeFees`, and the amounts of each posting are those
 * of `posting_amounts`, which intake and transition use too. Rows are a function of their number: equal sizes are equal data.
 */
export async function loadHistory(pool: Pool, applicationId: string, size: number, say: (line: string) => void): Promise<History> {
  const finals = size - PENDING - WAITING
  const phones = Math.floor(size / PER_PHONE)
  for (let first = 1; first <= size; first += CHUNK) {
    const last = Math.min(size, first + CHUNK - 1)
    await pool.query(fillSql(), [
      applicationId,
      first,
      last,
      finals,
      finals + WAITING,
      phones,
      size,
      OPERATOR_CODES,
      OPERATOR_CODES.map((code) => OPERATORS[code].country.currency),
      AMOUNTS_MINOR,
      ...feesByOperator(),
    ])
    if (last % (CHUNK * 5) === 0) say(`history: ${last} of ${size}`)
  }
  await summarise(pool, applicationId)
  // The work of the scheduled tasks.
  await sealTotals(pool)
  await sealLedgerDays(pool, 0)
  await pool.query('vacuum analyze')
  const whole = Math.floor(finals / 20)
  const rest = finals % 20
  return {
    applicationId,
    size,
    phones,
    days: DAYS,
    successes: whole * 17 + Math.min(rest, 17),
    failures: whole * 3 + Math.max(0, rest - 17),
  }
}

/** System and application fees of every amount, operator after operator. */
function feesByOperator(): [bigint[], bigint[]] {
  const fees = OPERATOR_CODES.flatMap((code) =>
    AMOUNTS_MINOR.map((amountMinor) => computeFees(amountMinor, OPERATORS[code].country.currency)),
  )
  return [fees.map((fee) => fee.feeSystemMinor), fees.map((fee) => fee.feeAppMinor)]
}

/** The phone numbers that loadHistory uses, by their number from 0. */
export function phoneOf(index: number): string {
  return `2376${String(index).padStart(8, '0')}`
}

/**
 * $1 application, $2 and $3 first and last number, $4 the last final one, $5 the last waiting one, $6 phones, $7 size, $8 operators,
 * $9 currencies, $10 amounts, $11 and $12 fees by operator and amount.
 */
function fillSql(): string {
  return `with n as materialized (
    select i, hashint8extended(i, 1) & 1048575 as h, hashint8extended(i, 2) & 2147483647 as p, ((i - 1) % 20)::integer as turn, ((i - 1) / 20) as twenty
      from generate_series($2::bigint, $3::bigint) as i
  ), m as materialized (
    select n.*, (h / 2) % 13 as operator_index, (p / 11) % cardinality($10::bigint[]) as amount_index from n
  ), t as materialized (
    select i, (lpad(to_hex(i), 12, '0') || '70008000' || '000000000000')::uuid as id, md5('external ' || i)::uuid as ext,
           case when h % 2 = 0 then 'DEPOSIT' else 'COLLECT' end as type, ($8::text[])[1 + operator_index] as op, ($9::text[])[1 + operator_index] as cur,
           ($10::bigint[])[1 + amount_index] as amount,
           ($11::bigint[])[1 + operator_index * cardinality($10::bigint[]) + amount_index] as fsys,
           ($12::bigint[])[1 + operator_index * cardinality($10::bigint[]) + amount_index] as fapp,
           '2376' || lpad((p % $6::bigint)::text, 8, '0') as phone,
           case when i > $5::bigint then 'PENDING' when i > $4::bigint then 'PENDING_APPROVAL' when turn < 17 then 'SUCCESS' else 'FAILED' end as status,
           case when i > $4::bigint then null when turn < 17 then twenty * 17 + turn + 1 else twenty * 3 + turn - 16 end as final_sequence,
           date_trunc('day', now(), 'UTC') - interval '${DAYS} days' + (i * ${DAYS}.0 * 86400 / ($7::bigint + 1)) * interval '1 second' as at
      from m
  ), row as materialized (
    select t.*, p.held_minor as hold, t.type = 'DEPOSIT' and t.status <> 'PENDING_APPROVAL' as has_hold, t.status in ('SUCCESS', 'FAILED') as is_final
      from t cross join lateral posting_amounts('hold', t.type, t.amount, t.fsys, t.fapp) p
  ), new_transactions as (
    insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency, amount_minor,
        fee_system_minor, fee_app_minor, held_minor, customer_name, phone_number, webhook_url, pay_token, source, version, needed_approval, created_at, final_at)
      select $1::uuid, id, i, ext, type, status, op, cur, amount, fsys, fapp, case when status = 'PENDING' and has_hold then hold else 0 end,
             'Clarisse Mbarga Essomba', phone, 'https://hooks.partner.example/payments/results', ext, 'api', case when is_final then 2 else 1 end,
             status = 'PENDING_APPROVAL', at,
             case when is_final then at + interval '20 seconds' end
        from row
  ), new_events as (
    insert into transaction_events (application_id, transaction_id, version, from_status, to_status, event, actor_kind, at, final_sequence)
      select $1::uuid, id, 2, 'PENDING', status, case status when 'SUCCESS' then 'succeeded' else 'failed' end, 'operator', at + interval '20 seconds', final_sequence
        from row where is_final
  ), new_postings as (
    insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, held_minor, fees_minor, clearing_minor, revenue_minor, at)
      select $1::uuid, id, k.kind, op, cur, p.collect_minor, p.deposit_minor, p.held_minor, p.fees_minor, p.clearing_minor, p.revenue_minor,
             case k.kind when 'hold' then at else at + interval '20 seconds' end
        from row
        cross join lateral (values ('hold', has_hold), ('settle', status = 'SUCCESS'), ('release', has_hold and status = 'FAILED')) as k (kind, is_posted)
        cross join lateral posting_amounts(k.kind, row.type, amount, fsys, fapp) p
        where k.is_posted
  ), new_work as (
    insert into operator_work (application_id, transaction_id, operator, state, next_at)
      select $1::uuid, id, op, 'submitted', now() + interval '1 day' from row where status = 'PENDING'
  ), new_approvals as (
    insert into approval_items (application_id, transaction_id, policy_version, rule, steps, expires_at)
      select $1::uuid, id, 1, '{"name":"bench","parts":[]}', '{1}', now() + interval '7 days' from row where status = 'PENDING_APPROVAL'
  )
  insert into webhook_deliveries (application_id, transaction_id, target, state, attempts, next_at, created_at, finished_at)
    select $1::uuid, id, 'https://hooks.partner.example', 'delivered', 1, at, at, at from row where is_final`
}

/** Balances, sums by day and counters of an application, calculated from its rows. */
export async function summarise(pool: Pool, applicationId: string): Promise<void> {
  await pool.query(
    `update ledger_balances b
       set collect_minor = p.collect, deposit_minor = p.deposit, held_minor = p.held, fees_minor = p.fees, clearing_minor = p.clearing, revenue_minor = p.revenue
       from (select operator, sum(collect_minor)::bigint as collect, sum(deposit_minor)::bigint as deposit, sum(held_minor)::bigint as held,
                    sum(fees_minor)::bigint as fees, sum(clearing_minor)::bigint as clearing, sum(revenue_minor)::bigint as revenue
               from ledger_postings where application_id = $1 group by operator) p
       where b.application_id = $1 and b.operator = p.operator`,
    [applicationId],
  )
  await pool.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       select application_id, (created_at at time zone 'UTC')::date, operator, type, status, count(*), sum(amount_minor)
         from transactions where application_id = $1 group by 1, 2, 3, 4, 5`,
    [applicationId],
  )
  await pool.query(
    `update application_counters c
       set transaction_count = t.total, pending_count = t.pending, pending_approval_count = t.waiting, success_count = t.succeeded, failed_count = t.failed
       from (select count(*) as total, count(*) filter (where status = 'PENDING') as pending, count(*) filter (where status = 'PENDING_APPROVAL') as waiting,
                    count(*) filter (where status = 'SUCCESS') as succeeded, count(*) filter (where status = 'FAILED') as failed
               from transactions where application_id = $1) t
       where c.application_id = $1`,
    [applicationId],
  )
  await pool.query(
    `insert into transaction_day_marks (application_id, created_until, success_until, failed_until)
       select c.application_id, c.transaction_count, c.success_count, c.failed_count from application_counters c where c.application_id = $1`,
    [applicationId],
  )
}
