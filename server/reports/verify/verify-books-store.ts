import type { Queryable } from '#server/database/pool.ts'
import { type BookCheck, TREASURY_CHECKS } from './treasury-checks-store.ts'

/** The columns of sums by day for postings that adjust what is final, and those for totals by day of completion. */
const OTHER_SUMS = [
  ...['withdrawn_minor', 'reversed_minor', 'late_minor', 'conceded_minor', 'fees_out_minor'],
  ...['collected_count', 'paid_count', 'fees_app_minor', 'collect_fees_minor', 'collect_fees_app_minor'],
]

/**
 * Finds open payments that nothing will move again. Each shape is one that no command leaves behind, so it needs no time to pass before it
 * counts. That a PENDING payment has its operator work, and one in PENDING_APPROVAL its approval item, is in other checks.
 */
const OPEN_PAYMENTS_CHECK: BookCheck = {
  check: 'open payments',
  sql: `with work as (
        select w.*, t.type as payment_type, t.operator as payment_operator, coalesce(r.state, 'running') as run_state
          from operator_work w
          join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
          left join batch_runs r on r.application_id = t.application_id and r.batch_id = t.batch_id
      ), stuck as (
        select application_id, transaction_id, 'never due, and not paused' as detail from work
          where not isfinite(next_at) and state <> 'paused'
        union all
        -- Queries are an hour apart at most, and codes are awaited for half an hour.
        select application_id, transaction_id, 'not due for more than a day' from work
          where isfinite(next_at) and next_at > clock_timestamp() + interval '1 day'
        union all
        select application_id, transaction_id, 'claimed for more than a day' from work
          where is_claimed and claimed_until > clock_timestamp() + interval '1 day'
        union all
        select application_id, transaction_id, 'waits for a code without an end' from work
          where state = 'awaiting_code' and not coalesce(isfinite(code_until), false)
        union all
        select application_id, transaction_id, 'about to be sent although its batch was stopped' from work
          where state = 'queued' and run_state = 'stopped'
        union all
        select application_id, transaction_id, 'paused in a stopped batch although an operator may have it' from work
          where state = 'paused' and run_state = 'stopped' and absent_since is null
            and may_have_left(application_id, transaction_id, submissions)
        union all
        select application_id, transaction_id, 'its work belongs to another operator or direction' from work
          where (operator, type) is distinct from (payment_operator, payment_type)
        union all
        select t.application_id, t.transaction_id, 'waits for a decision without an end'
          from transactions t
          join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
          where t.status = 'PENDING_APPROVAL' and not isfinite(i.expires_at)
        union all
        select t.application_id, t.transaction_id, 'rejected, and still waiting for a decision'
          from transactions t
          join approval_decisions d on d.application_id = t.application_id and d.transaction_id = t.transaction_id and d.decision = 'rejected'
          where t.status = 'PENDING_APPROVAL'
      )
      select application_id || ' ' || transaction_id as subject, detail from stuck`,
}

/** Recounts sums, states and decisions from the raw rows. */
const PAYMENT_CHECKS: BookCheck[] = [
  {
    check: 'balances',
    sql: `select application_id || ' ' || operator as subject, 'a balance differs from the sum of its entries' as detail
      from (select application_id, operator, sum(collect_minor) c, sum(deposit_minor) d, sum(held_minor) h, sum(fees_minor) f,
                   sum(clearing_minor) l, sum(revenue_minor) r from ledger_postings group by 1, 2) p
      full join ledger_balances b using (application_id, operator)
      where (coalesce(p.c, 0), coalesce(p.d, 0), coalesce(p.h, 0), coalesce(p.f, 0), coalesce(p.l, 0), coalesce(p.r, 0))
        is distinct from (b.collect_minor, b.deposit_minor, b.held_minor, b.fees_minor, b.clearing_minor, b.revenue_minor)`,
  },
  {
    check: 'entries',
    sql: `select currency as subject, 'entries sum to ' || sum(amount_minor) as detail from ledger_entries group by 1 having sum(amount_minor) <> 0`,
  },
  {
    check: 'counters',
    sql: `select application_id::text as subject, 'a counter differs from a recount' as detail
      from (select application_id, count(*) n, count(*) filter (where status = 'PENDING') p,
              count(*) filter (where status = 'PENDING_APPROVAL') a, count(*) filter (where status = 'SUCCESS') s,
              count(*) filter (where status = 'FAILED') f from transactions group by 1) t
      full join application_counters c using (application_id)
      where (coalesce(t.n, 0), coalesce(t.p, 0), coalesce(t.a, 0), coalesce(t.s, 0), coalesce(t.f, 0))
        is distinct from (c.transaction_count, c.pending_count, c.pending_approval_count, c.success_count, c.failed_count)`,
  },
  {
    check: 'sequences',
    sql: `select application_id::text as subject, 'sequence is not gap-free from 1' as detail from transactions
        group by 1 having min(sequence) <> 1 or max(sequence) <> count(*)
      union all
      select application_id || ' ' || to_status, 'final sequence is not gap-free from 1' from transaction_events
        where to_status in ('SUCCESS', 'FAILED') group by application_id, to_status
        having min(final_sequence) <> 1 or max(final_sequence) <> count(*) or count(distinct final_sequence) <> count(*)`,
  },
  {
    check: 'roll-ups',
    sql: `select concat_ws(' ', application_id, day, operator, type, status) as subject, 'a roll-up differs from a recount' as detail
      from (select application_id, (created_at at time zone 'UTC')::date as day, operator, type, status, count(*) n, sum(amount_minor) s
              from transactions group by 1, 2, 3, 4, 5) t
      full join (select application_id, day, operator, type, status, sum(transaction_count) as transaction_count, sum(amount_minor) as amount_minor
                   from (select application_id, day, operator, type, status, transaction_count, amount_minor from transaction_days
                         union all
                         select c.application_id, l.* from application_counters c cross join lateral late_transaction_days(c.application_id) l) a
                   group by 1, 2, 3, 4, 5) d using (application_id, day, operator, type, status)
      where (coalesce(t.n, 0), coalesce(t.s, 0)) is distinct from (coalesce(d.transaction_count, 0), coalesce(d.amount_minor, 0))`,
  },
  {
    check: 'sealed totals',
    sql: `with raw as (select d.application_id, d.status, d.day, sum(d.transaction_count) as n, sum(d.amount_minor) as amount
                     from transaction_days d join application_seals s on s.application_id = d.application_id
                     where d.status in ('SUCCESS', 'FAILED') and d.day <= s.sealed_through and d.day <> all (s.open_days) group by 1, 2, 3)
      select concat_ws(' ', application_id, status, day) as subject, 'a sealed day differs from its roll-ups' as detail
        from (select * from raw where n <> 0) r
        full join (select application_id, status, first_day as day, transaction_count, amount_minor from sealed_totals
                   where span = 'day' and transaction_count <> 0) t using (application_id, status, day)
        where (coalesce(r.n, 0), coalesce(r.amount, 0)) is distinct from (coalesce(t.transaction_count, 0), coalesce(t.amount_minor, 0))
      union all
      select concat_ws(' ', m.application_id, m.status, m.first_day), 'a sealed month differs from its roll-ups'
        from sealed_totals m
        cross join lateral (select coalesce(sum(d.transaction_count), 0) as n, coalesce(sum(d.amount_minor), 0) as amount
          from transaction_days d where d.application_id = m.application_id and d.status = m.status
            and d.day >= m.first_day and d.day < (m.first_day + interval '1 month')::date) d
        where m.span = 'month' and (m.transaction_count, m.amount_minor) is distinct from (d.n, d.amount)`,
  },
  {
    check: 'fee days',
    sql: `select concat_ws(' ', application_id, day, operator, type) as subject, 'fees by day differ from a recount' as detail
      from (select t.application_id, (t.created_at at time zone 'UTC')::date as day, t.operator, t.type,
                   sum(t.fee_system_minor) s, sum(t.fee_app_minor) a
              from final_transactions t join fee_marks m on m.application_id = t.application_id and t.final_sequence <= m.added_until
              where t.to_status = 'SUCCESS' group by 1, 2, 3, 4) t
      full join fee_days f using (application_id, day, operator, type)
      where (t.s, t.a) is distinct from (f.fee_system_minor, f.fee_app_minor)`,
  },
  {
    check: 'fee months',
    sql: `select concat_ws(' ', application_id, month, operator, type) as subject, 'fees by month differ from those by day' as detail
      from (select application_id, date_trunc('month', day)::date as month, operator, type, sum(fee_system_minor) s, sum(fee_app_minor) a
              from fee_days group by 1, 2, 3, 4) d
      full join fee_months m using (application_id, month, operator, type)
      where (d.s, d.a) is distinct from (m.fee_system_minor, m.fee_app_minor)`,
  },
  {
    check: 'day edges',
    sql: `select concat_ws(' ', application_id, time_zone, status, day, business_day, operator, type) as subject,
             'what belongs to another day of the zone differs from a recount' as detail
      from (select t.application_id, z.time_zone, t.status, (t.created_at at time zone 'UTC')::date as day,
                   (t.created_at at time zone z.time_zone)::date as business_day, t.operator, t.type, count(*) n, sum(t.amount_minor) s,
                   sum(t.fee_system_minor) fs, sum(t.fee_app_minor) fa
              from transactions t join day_zones z on z.application_id = t.application_id and t.sequence >= z.counted_from
              where (t.created_at at time zone 'UTC')::date <> (t.created_at at time zone z.time_zone)::date group by 1, 2, 3, 4, 5, 6, 7) t
      full join transaction_day_edges e using (application_id, time_zone, status, day, business_day, operator, type)
      where (coalesce(t.n, 0), coalesce(t.s, 0), coalesce(t.fs, 0), coalesce(t.fa, 0)) is distinct from
        (coalesce(e.transaction_count, 0), coalesce(e.amount_minor, 0), coalesce(e.fee_system_minor, 0), coalesce(e.fee_app_minor, 0))`,
  },
  {
    check: 'time zones',
    sql: `select a.application_id::text as subject, 'the sums of its time zone are not complete' as detail
      from applications a left join day_zones z on z.application_id = a.application_id and z.time_zone = a.time_zone
      where a.time_zone <> 'UTC' and (z.counted_from is distinct from 1 or not z.is_ledger_counted)`,
  },
  {
    check: 'ledger day edges',
    sql: `select concat_ws(' ', application_id, time_zone, operator, day, business_day) as subject,
             'what belongs to another day of the zone differs from its postings' as detail
      from (select m.application_id, z.time_zone, m.operator, m.day, (m.at at time zone z.time_zone)::date as business_day, count(*) n,
                   sum(m.collect_minor) c, sum(m.deposit_minor) d, sum(m.held_minor) h, sum(m.collected_minor) i, sum(m.paid_minor) o,
                   sum(m.fees_minor) f, sum(m.funded_minor) u, sum(m.corrected_minor) r, ${OTHER_SUMS.map((name) => `sum(m.${name}) ${name}`).join(', ')},
                   sum(m.placed_minor) p, sum(m.released_minor) l
              from ledger_movements m join day_zones z on z.application_id = m.application_id and z.is_ledger_counted
              where m.at < (select sealed_until from ledger_seal) and (m.at at time zone z.time_zone)::date <> m.day group by 1, 2, 3, 4, 5) m
      full join ledger_day_edges e using (application_id, time_zone, operator, day, business_day)
      where (m.n, m.c, m.d, m.h, m.i, m.o, m.f, m.u, m.r, ${OTHER_SUMS.map((name) => `m.${name}`).join(', ')}, m.p, m.l) is distinct from (e.posting_count, e.collect_minor, e.deposit_minor,
        e.held_minor, e.collected_minor, e.paid_minor, e.fees_minor, e.funded_minor, e.corrected_minor,
        ${OTHER_SUMS.map((name) => `e.${name}`).join(', ')}, e.placed_minor, e.released_minor)`,
  },
  {
    check: 'ledger days',
    sql: `select concat_ws(' ', application_id, operator, day) as subject, 'a sum by day differs from its postings' as detail
      from (select application_id, operator, day, count(*) n, sum(collect_minor) c, sum(deposit_minor) d, sum(held_minor) h, sum(collected_minor) i,
              sum(paid_minor) o, sum(fees_minor) f, sum(funded_minor) u, sum(corrected_minor) r, ${OTHER_SUMS.map((name) => `sum(${name}) ${name}`).join(', ')},
              sum(placed_minor) p, sum(released_minor) l
              from ledger_movements where at < (select sealed_until from ledger_seal) group by 1, 2, 3) m
      full join ledger_days s using (application_id, operator, day)
      where (m.n, m.c, m.d, m.h, m.i, m.o, m.f, m.u, m.r, ${OTHER_SUMS.map((name) => `m.${name}`).join(', ')}, m.p, m.l) is distinct from (s.posting_count, s.collect_minor, s.deposit_minor,
        s.held_minor, s.collected_minor, s.paid_minor, s.fees_minor, s.funded_minor, s.corrected_minor,
        ${OTHER_SUMS.map((name) => `s.${name}`).join(', ')}, s.placed_minor, s.released_minor)`,
  },
  {
    check: 'postings',
    sql: `select concat_ws(' ', t.application_id, t.transaction_id) as subject, 'postings do not fit the state ' || t.status as detail
      from transactions t
      left join ledger_postings h on h.application_id = t.application_id and h.subject_id = t.transaction_id and h.kind = 'hold'
      left join ledger_postings s on s.application_id = t.application_id and s.subject_id = t.transaction_id and s.kind = 'settle'
      left join ledger_postings r on r.application_id = t.application_id and r.subject_id = t.transaction_id and r.kind = 'release'
      where (t.status = 'SUCCESS') <> (s.subject_id is not null)
        or (t.status = 'FAILED' and (h.subject_id is not null) <> (r.subject_id is not null))
        or (t.status <> 'FAILED' and r.subject_id is not null)
        or t.held_minor <> coalesce(h.held_minor, 0) + coalesce(s.held_minor, 0) + coalesce(r.held_minor, 0)
        or (s.subject_id is not null and t.type = 'DEPOSIT' and h.subject_id is null)`,
  },
  {
    check: 'events',
    sql: `select concat_ws(' ', t.application_id, t.transaction_id) as subject, 'events do not lead to ' || t.status as detail
      from transactions t
      left join lateral (
        select count(*) as n, max(e.version) as last, (array_agg(e.to_status order by e.version desc))[1] as status,
               bool_and(e.version = 1 or e.from_status = e.previous) as is_chain
          from (select e.*, lag(e.to_status) over (order by e.version) as previous from all_transaction_events e
                where e.application_id = t.application_id and e.transaction_id = t.transaction_id) e) e on true
      where e.n <> t.version or e.last is distinct from t.version or e.status is distinct from t.status or not e.is_chain`,
  },
  {
    check: 'operator work',
    sql: `select concat_ws(' ', application_id, transaction_id) as subject, 'PENDING and operator work do not go together' as detail
      from (select application_id, transaction_id from transactions where status = 'PENDING') t
      full join operator_work w using (application_id, transaction_id)
      where t.application_id is null or w.application_id is null
        or not exists (select 1 from transactions p where p.application_id = t.application_id and p.transaction_id = t.transaction_id)
        or w.state is null`,
  },
  OPEN_PAYMENTS_CHECK,
  {
    check: 'approvals',
    sql: `select concat_ws(' ', t.application_id, t.transaction_id) as subject, 'approval is missing or not satisfied' as detail
      from transactions t
      left join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
      left join lateral (select count(*) filter (where d.decision = 'validated') as validated, bool_or(d.checker_id = t.maker_id) as by_maker
          from approval_decisions d where d.application_id = t.application_id and d.transaction_id = t.transaction_id) d on true
      where (t.status = 'PENDING_APPROVAL' and i.transaction_id is null)
        or coalesce(d.by_maker, false)
        or (t.source in ('person', 'file') and i.transaction_id is null)
        or (i.transaction_id is not null and t.status in ('PENDING', 'SUCCESS')
            and d.validated < (select sum(step) from unnest(i.steps) as step))
      union all
      select concat_ws(' ', d.application_id, d.transaction_id), 'decided by a person who prepared its batch'
      from batches b
      join transactions t on t.application_id = b.application_id and t.batch_id = b.batch_id
      join approval_decisions d on d.application_id = t.application_id and d.transaction_id = t.transaction_id
        and d.checker_id = any (b.prepared_by)
      where cardinality(b.prepared_by) > 1`,
  },
  {
    check: 'batches',
    sql: `select concat_ws(' ', w.application_id, w.transaction_id) as subject, 'paused, and nobody paused or stopped its batch' as detail
      from operator_work w
      join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
      left join batch_runs r on r.application_id = t.application_id and r.batch_id = t.batch_id
      where w.phase = 'paused' and coalesce(r.state, 'running') = 'running'
      union all
      select concat_ws(' ', r.application_id, r.failed_transaction_id), 'repeated, and it did not fail'
      from batch_retries r
      left join transactions t on t.application_id = r.application_id and t.transaction_id = r.failed_transaction_id
      where t.status is distinct from 'FAILED'
      union all
      select concat_ws(' ', d.application_id, d.transaction_id), 'decided with a batch that it does not belong to'
      from approval_decisions d
      left join transactions t on t.application_id = d.application_id and t.transaction_id = d.transaction_id
      where d.batch_id is not null and d.batch_id is distinct from t.batch_id
      union all
      select concat_ws(' ', r.application_id, r.batch_id, r.row_number), 'its transaction is another payment'
      from batch_rows r
      left join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
      where r.transaction_id is not null
        and (t.batch_id, t.external_id, t.phone_number, t.amount_minor) is distinct from (r.batch_id, r.external_id, r.phone_number, r.amount_minor)
      union all
      select concat_ws(' ', b.application_id, b.batch_id), 'submitted, and its rows are not all started or refused'
      from batches b
      where b.submitted_at is not null and b.started_count <> (select count(*) from batch_rows r where r.application_id = b.application_id
          and r.batch_id = b.batch_id and (r.transaction_id is not null or r.refusal is not null))
        or b.state = 'submitted' and exists (select from batch_rows r where r.application_id = b.application_id and r.batch_id = b.batch_id
          and r.problems = '[]' and r.exclusion is null and r.transaction_id is null and r.refusal is null)
      union all
      select concat_ws(' ', b.application_id, b.batch_id), 'its rows did not end as stored'
      from batches b where b.places is not null and b.places - 'by' is distinct from count_batch_places(b.application_id, b.batch_id) - 'by'`,
  },
  {
    check: 'webhooks',
    sql: `select concat_ws(' ', t.application_id, t.transaction_id) as subject, 'final state and webhook delivery do not go together' as detail
      from (select application_id, transaction_id, final_at from transactions
            where status in ('SUCCESS', 'FAILED') and webhook_url is not null) t
      full join webhook_deliveries d using (application_id, transaction_id)
      -- A delivery that retention removed ended before the mark, and its transaction before that.
      where t.application_id is null or (d.application_id is null
        and t.final_at >= coalesce((select m.removed_before from retention_marks m where m.kind = 'deliveries'), '-infinity'))
      union all
      select concat_ws(' ', application_id, transaction_id), 'more than four attempts, or one after a delivery' from all_webhook_attempts w
        group by application_id, transaction_id
        having count(*) > 4 or bool_or(outcome = 'delivered' and number < (
          select max(a.number) from webhook_attempts a where a.application_id = w.application_id and a.transaction_id = w.transaction_id))`,
  },
  {
    check: 'origins',
    sql: `select concat_ws(' ', o.application_id, o.transaction_id) as subject, 'replaces what did not end without a payment' as detail
      from transaction_origins o
      left join transactions c on c.application_id = o.application_id and c.transaction_id = o.transaction_id
      left join transactions t on t.application_id = o.application_id and t.transaction_id = o.origin_id
      where c.transaction_id is null or t.status is distinct from 'FAILED' or t.source not in ('person', 'file')
      union all
      select concat_ws(' ', o.application_id, o.origin_id), 'replaced, and repeated by a batch too'
      from transaction_origins o where is_in_retry(o.application_id, o.origin_id)`,
  },
  {
    check: 'refunds',
    sql: `select concat_ws(' ', r.application_id, r.transaction_id) as subject, 'refunds what is no collect of the same payer that succeeded' as detail
      from transaction_refunds r
      left join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
      left join transactions c on c.application_id = r.application_id and c.transaction_id = r.collect_id
      where t.type is distinct from 'DEPOSIT' or c.type is distinct from 'COLLECT' or c.status is distinct from 'SUCCESS'
        or (t.operator, t.currency, t.phone_number) is distinct from (c.operator, c.currency, c.phone_number) or r.refunded_minor < t.amount_minor
      union all
      select concat_ws(' ', c.application_id, c.transaction_id), 'its refunds exceed what was collected'
      from transaction_refunds r
      join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
      join transactions c on c.application_id = r.application_id and c.transaction_id = r.collect_id
      where t.status <> 'FAILED' group by c.application_id, c.transaction_id, c.amount_minor having sum(r.refunded_minor) > c.amount_minor`,
  },
  {
    check: 'payment links',
    sql: `select concat_ws(' ', p.application_id, p.transaction_id) as subject, 'is no collect under the terms of its link' as detail
      from payment_link_payments p
      left join payment_links l on l.application_id = p.application_id and l.link_id = p.link_id
      left join transactions t on t.application_id = p.application_id and t.transaction_id = p.transaction_id
      where l.link_id is null or t.type is distinct from 'COLLECT' or t.source <> 'link' or t.currency <> l.currency
        or t.amount_minor not between coalesce(l.amount_minor, l.minimum_minor) and coalesce(l.amount_minor, l.maximum_minor)
      union all
      select concat_ws(' ', t.application_id, t.transaction_id), 'was started at a link that is not known'
      from transactions t where t.source = 'link' and not exists (
        select from payment_link_payments p where p.application_id = t.application_id and p.transaction_id = t.transaction_id)
      union all
      select concat_ws(' ', l.application_id, l.link_id), 'its counts differ from its payments'
      from payment_links l
      left join lateral (
        select count(*) filter (where t.final_at is null) as open_count, count(*) filter (where t.status = 'SUCCESS') as paid_count,
               count(*) filter (where a.kind = 'late') as late_count,
               sum(t.amount_minor) filter (where t.status = 'SUCCESS' and a.kind is null or a.kind = 'late') as collected_minor
          from payment_link_payments p
          join transactions t on t.application_id = p.application_id and t.transaction_id = p.transaction_id
          left join ledger_postings a on a.application_id = t.application_id and a.subject_id = t.transaction_id and a.kind in ('late', 'reverse')
          where p.application_id = l.application_id and p.link_id = l.link_id) c on true
      where (l.open_count, l.paid_count, l.late_count, l.collected_minor)
        is distinct from (c.open_count, c.paid_count, c.late_count, coalesce(c.collected_minor, 0))`,
  },
  {
    check: 'references',
    sql: `select transactions.application_id || ' ' || transaction_id as subject, 'no such application' as detail
      from transactions left join applications a using (application_id) where a.application_id is null`,
  },
]

export const BOOK_CHECKS: BookCheck[] = [...PAYMENT_CHECKS, ...TREASURY_CHECKS]

type DifferenceRow = { subject: string; detail: string }

/** Runs one check; returns at most a hundred differences. */
export async function selectDifferences(queryable: Queryable, sql: string): Promise<DifferenceRow[]> {
  const { rows } = await queryable.query<DifferenceRow>(`select * from (${sql}) differences limit 100`)
  return rows
}
