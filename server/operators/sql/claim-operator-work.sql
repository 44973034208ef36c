-- Sequential scans are off because plans outlive the size that the table had when they were made.
--
-- Takes due rows under a lease of lease_ms. Each item of p_items has slots for one lane of one operator: submissions of one direction
-- (COLLECT, DEPOSIT), or `begun` for everything else. A `queued` row becomes
-- `submitting`, with the number of its attempt, which is committed before the operator is called. A row found in
-- `submitting` is a call whose process died: it becomes `unconfirmed`. If its result is stored, it is settled, otherwise queried.
--
-- The lease is in `claimed_until`, which no index has, so that the claim of what has started stays in the row's page. A queued row gets
-- the time of its first query (first_query_ms), because it moves to another index anyway. enquiry_delay_ms is the pause that the operator
-- requires before it.
create or replace function claim_operator_work(p_items json)
returns table (application_id uuid, transaction_id uuid, operator text, found_state text, number integer, submissions integer,
               queries integer, is_repeated boolean, route text, operator_reference text, operator_reference_other text, operator_token text, type text, currency text,
               amount_minor bigint, phone_number text, customer_name text, result text, result_reason text, result_code text, last_answer text)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
declare
  v_at timestamptz := clock_timestamp();
begin
  return query
  with free as materialized (
    select i.* from json_to_recordset(p_items) as i (operator text, lane text, route text, slots_max integer, lease_ms integer,
                                                        first_query_ms integer, enquiry_delay_ms integer, settings_version text)
      -- One row for the planner (start-transactions.sql).
      where i.slots_max = i.slots_max + 0
  ), waiting as materialized (
    select w.row_address, w.application_id, w.transaction_id, w.next_at, free.operator, free.lane, free.route, free.lease_ms, free.first_query_ms,
           free.enquiry_delay_ms from free
      cross join lateral (
        select o.ctid as row_address, o.application_id, o.transaction_id, o.next_at from operator_work o
          where o.operator = free.operator and o.type = free.lane and o.phase = 'queued' and o.next_at <= v_at
          order by o.next_at limit free.slots_max for update skip locked
      ) w
      where free.lane <> 'begun'
        -- Closed by any process for a fault of these settings.
        and not exists (select from operator_circuits c
          where c.operator = free.operator and c.type = free.lane and c.fault is not null and c.fault_version = free.settings_version)
        and not (free.lane = 'DEPOSIT' and exists (select from operator_floats f where f.operator = free.operator and f.try_at > v_at))
  ), doubted as materialized (
    -- Refunds of a collect that may not have been paid after all stay unsent, and are looked at again in a minute: somebody has doubted it since they
    -- were approved. One that the operator may have goes on under its reference, which is the way to its result.
    update operator_work w set next_at = v_at + interval '1 minute'
      from waiting d
      where d.lane = 'DEPOSIT' and w.ctid = d.row_address and w.application_id = d.application_id and w.transaction_id = d.transaction_id
        and exists (select from transaction_refunds r where r.application_id = d.application_id and r.transaction_id = d.transaction_id
          and refund_obstacle(r.application_id, r.collect_id) is not null)
        and not may_have_left(w.application_id, w.transaction_id, w.submissions)
      returning w.transaction_id
  ), waiting_for_float as materialized (
    -- Deposits that our account at the operator does not cover stay as they are.
    select u.transaction_id
      from (select w.operator, array_agg(w.transaction_id order by w.next_at, w.transaction_id) as transaction_ids,
                   array_agg(t.amount_minor order by w.next_at, w.transaction_id) as amounts_minor, min(w.next_at) as first_at
              from waiting w
              join operator_floats f on f.operator = w.operator
              cross join lateral (select n.transaction_id, n.amount_minor from transactions n
                where n.application_id = w.application_id and n.transaction_id >= w.transaction_id order by n.transaction_id limit 1) t
              where w.lane = 'DEPOSIT' and t.transaction_id = w.transaction_id
                and w.transaction_id not in (select x.transaction_id from doubted x)
              group by w.operator order by w.operator offset 0) d
      cross join lateral (select take_float(d.operator, d.amounts_minor, d.first_at) as count) t
      cross join lateral unnest(d.transaction_ids[t.count + 1:]) as u (transaction_id)
  ), begun as materialized (
    select w.row_address, w.application_id, w.transaction_id, w.state, free.lease_ms from free
      cross join lateral (
        select o.ctid as row_address, o.application_id, o.transaction_id, o.state from operator_work o
          where o.operator = free.operator and o.phase <> 'queued' and o.next_at <= v_at
            and not (o.is_claimed and o.claimed_until > v_at)
          order by o.next_at limit free.slots_max for update skip locked
      ) w
      where free.lane = 'begun'
  ), due as materialized (
    select row_address, application_id, transaction_id, 'queued' as state, route, lease_ms, first_query_ms, enquiry_delay_ms from waiting
      where transaction_id not in (select f.transaction_id from waiting_for_float f union all select x.transaction_id from doubted x)
    union all
    select row_address, application_id, transaction_id, state, null, lease_ms, null, null from begun
  ), claimed as materialized (
    update operator_work w
      set state = case d.state when 'queued' then 'submitting' when 'submitting' then 'unconfirmed' else d.state end,
          route = coalesce(d.route, w.route), is_claimed = true, claimed_at = v_at, hinted_at = null,
          claimed_until = v_at + d.lease_ms * interval '1 millisecond',
          next_at = case d.state when 'queued' then v_at + d.first_query_ms * interval '1 millisecond' else w.next_at end,
          enquire_at = case d.state when 'queued' then v_at + d.enquiry_delay_ms * interval '1 millisecond' else w.enquire_at end,
          submit_number = case d.state when 'queued' then w.attempts + 1 else w.submit_number end,
          attempts = w.attempts + case when d.state = 'unfunded' then 0 else 1 end,
          submissions = w.submissions + case when d.state = 'queued' then 1 else 0 end,
          unconfirmed_since = case when d.state = 'submitting' then coalesce(w.unconfirmed_since, v_at) else w.unconfirmed_since end,
          -- Earlier denials say nothing about this submission.
          absent_since = case d.state when 'queued' then null else w.absent_since end
      from due d
      -- By the address of the row that is locked above. One that changed in between is not found, and is taken by the next claim.
      where w.ctid = d.row_address and w.application_id = d.application_id and w.transaction_id = d.transaction_id
      returning w.application_id, w.transaction_id, w.operator, d.state as found_state, w.attempts, w.submissions, w.queries, w.route,
                -- Most of what is submitted again never left this service: no connection, or no code of the customer.
                -- Of what waited for a code, the last submission has its outcome too.
                d.state in ('queued', 'awaiting_code') and case when w.submissions > 1
                  then may_have_left(w.application_id, w.transaction_id, w.submissions - (d.state = 'queued')::integer) else false end as is_repeated,
                old.claimed_at as claimed_before, w.submit_number, w.operator_reference, w.operator_reference_other, w.operator_token, w.accepted_at, w.result, w.result_reason, w.result_code, w.last_answer
  ), interrupted as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome)
      select c.application_id, c.transaction_id, c.submit_number, 'submit', c.claimed_before, v_at, 'interrupted'
        from claimed c where c.found_state = 'submitting'
      on conflict (application_id, transaction_id, number) do nothing
  )
  select c.application_id, c.transaction_id, c.operator, c.found_state, c.attempts, c.submissions, c.queries, c.is_repeated, c.route,
         c.operator_reference, c.operator_reference_other, c.operator_token, t.type, t.currency, t.amount_minor, t.phone_number, t.customer_name,
         -- A refusal of which the operator seemed to know nothing, and has meanwhile proved that it does: queried.
         case when c.result = 'failed' and c.accepted_at is not null then null else c.result end, c.result_reason, c.result_code, c.last_answer
    from claimed c
    -- Found in this way, a plan that was made while the table was empty reads one row of the primary key, and not all of an application.
    cross join lateral (select n.* from transactions n where n.application_id = c.application_id and n.transaction_id >= c.transaction_id
                        order by n.transaction_id limit 1) t
    where t.transaction_id = c.transaction_id;
end $$;
