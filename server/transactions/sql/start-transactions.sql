-- The statement that starts transactions; apply-transitions.sql is the one that moves them on. Each processes a whole batch in one
-- call and commits with it. Both lock the counters of the applications concerned first, in one global order: that lock orders
-- everything that happens to an application's money, so the rest reads and writes without races, and no two batches can deadlock.
--
-- `application_index` of an item is the position of its application in p_application_ids, which must be distinct and ascending.
--
-- Both allow nested loops over indexes only. Their plans are kept for the life of a connection, and a plan that was made while a
-- table was empty, or that reads a whole index to join a few rows, would become slow as the table grows. For the same reason
-- transactions are found by "the first at or after this key, in order": on an empty table the planner accepts any index that begins
-- with application_id, but only the right one needs no sort.
--
-- `item_index = item_index + 0` is true of every row, but the planner expects it of one in two hundred. Otherwise it expects a hundred rows of
-- JSON, and reads a table that is small at that moment from end to end and compares each row with them, instead of looking them up by key.
-- Where a statement updates a table that may be empty, it first reads the addresses of the rows in a subquery, which `offset 0` keeps out of
-- the join. These rows do not change meanwhile: every writer holds the lock of the counters. Counts replace `exists`, which the planner
-- may answer from a hash of the whole table.

-- Both are one statement in the same five sections: what may happen, the transactions, the ledger, what is due at operators and receivers, and
-- the sums.
--
-- Starts transactions and returns one row per item, with what is stored: outcome `created`; `existing` if the externalId was stored
-- before with the same content; `conflict` if it was stored with other content. p_has_bands is false if no item carries approval
-- bands, and then the items are read only once.
--
-- An item with claim_lease_ms comes from a process that has a slot free at its operator. Its operator work is inserted as that process's claim,
-- in the state in which claim-operator-work.sql leaves a row that it claims to be submitted, and is_claimed is true: the process calls the
-- operator after the commit. It is inserted unclaimed if the transaction waits for approval, is not funded, if any process closed the
-- direction for a fault of these settings, or if our account at the operator does not cover a deposit.
create or replace function start_transactions(p_application_ids uuid[], p_items json, p_has_bands boolean)
returns table (item_index integer, outcome text, transaction_id uuid, status text, amount_minor bigint, fee_system_minor bigint,
               fee_app_minor bigint, pay_token text, is_claimed boolean)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_counts bigint[];
  v_waiting jsonb := '{}';
begin
  select array_agg(c.transaction_count order by c.application_id) into v_counts
    from (select * from application_counters where application_id = any (p_application_ids)
          order by application_id for no key update) c;
  if cardinality(v_counts) is distinct from cardinality(p_application_ids) then
    raise exception 'an application has no counters' using errcode = 'foreign_key_violation';
  end if;
  -- Read after the lock, so that creation times of one application follow its sequence.
  v_at := clock_timestamp();

  if p_has_bands then
    -- Collected by one aggregate: adding to an object one item at a time would copy it for each. `certain` is the strongest band where
    -- the total of the batch alone exceeds its limits: larger amounts exceed them too, so that it is found once for all rows of a file.
    with weighed as materialized (
      select b.*, sum(b.amount_minor) over (partition by b.application_id, b.type, b.maker_id, b.source, b.phone_number_forms[1]
                                            order by b.item_index) - b.amount_minor as earlier_minor
        from json_to_recordset(p_items) as b (item_index integer, application_id uuid, external_id uuid, type text,
          phone_number_forms text[], amount_minor bigint, batch_sum_minor bigint, source text, maker_id uuid, bands jsonb)
        -- A transaction that is stored already counts as stored, and must not count again as a part of this batch.
        left join lateral (select t.external_id from transactions t
                           where t.application_id = b.application_id and t.external_id >= b.external_id
                           order by t.external_id limit 1) t on true
        where b.bands is not null and t.external_id is distinct from b.external_id
    ), certain as materialized (
      select c.bands, c.batch_sum_minor, approval_band_among(jsonb_build_array(c.bands -> -1), 0, c.batch_sum_minor, 0, false) as band
        from (select distinct w.bands, w.batch_sum_minor from weighed w where w.batch_sum_minor is not null) c
    )
    select coalesce(jsonb_object_agg(b.item_index, w.band) filter (where w.band is not null), '{}') into v_waiting
      from weighed b
      left join certain c on c.batch_sum_minor = b.batch_sum_minor and c.bands = b.bands
      cross join lateral (select coalesce(c.band, approval_band_for(b.application_id, b.type, b.maker_id, b.source, b.phone_number_forms,
                            b.amount_minor, coalesce(b.batch_sum_minor, 0), b.earlier_minor::bigint, b.bands, v_at)) as band) w;
  end if;

  return query
  with item as materialized (
    -- 1. Which items are new, and what the balances cover.
    select i.*, case when v_waiting ? i.item_index::text then 'PENDING_APPROVAL' else 'PENDING' end as status
      from json_to_recordset(p_items) as i (item_index integer, application_id uuid, application_index integer, transaction_id uuid,
        external_id uuid, type text, operator text, currency text, customer_name text, purpose text, phone_number text, amount_minor bigint,
        fee_system_minor bigint, fee_app_minor bigint, webhook_url text, pay_token text, source text, maker_id uuid, batch_id uuid,
        origin_id uuid, refund_of uuid, refunded_minor bigint, link_id uuid, api_user_id uuid, claim_route text, claim_lease_ms integer, claim_first_query_ms integer,
        claim_enquiry_delay_ms integer, claim_settings_version text)
      where i.item_index = i.item_index + 0
  ), known as materialized (
    select i.item_index, t.transaction_id, t.status, t.amount_minor, t.fee_system_minor, t.fee_app_minor, t.pay_token,
           is_same_request(t.stored, i.type, i.operator, i.customer_name, i.purpose, i.phone_number, i.amount_minor, i.webhook_url, i.source, i.refund_of) as same_content
      from item i
      cross join lateral (select n.*, n as stored from transactions n where n.application_id = i.application_id and n.external_id >= i.external_id
                          order by n.external_id limit 1) t
      where t.external_id = i.external_id
  ), fresh as materialized (
    select i.*, row_number() over (partition by i.application_id order by i.item_index) as sequence_offset,
           case when i.type = 'DEPOSIT' and i.status = 'PENDING' then p.held_minor else 0 end as hold_minor
      from item i cross join lateral posting_amounts('hold', i.type, i.amount_minor, i.fee_system_minor, i.fee_app_minor) p
      where i.item_index not in (select k.item_index from known k)
  ), need as materialized (
    select f.application_id, f.operator, sum(f.hold_minor)::bigint as total_minor,
           array_agg(f.item_index order by f.item_index) as item_indexes,
           array_agg(f.hold_minor order by f.item_index) as holds_minor
      from fresh f where f.hold_minor > 0 group by f.application_id, f.operator
  ), unfunded as materialized (
    -- A missing balance row counts as a balance of zero.
    select u.item_index from need n
      left join ledger_balances b on b.application_id = n.application_id and b.operator = n.operator
      cross join lateral unnest(n.item_indexes, fund_in_order(coalesce(b.deposit_minor, 0), n.holds_minor)) as u (item_index, is_funded)
      where n.total_minor > coalesce(b.deposit_minor, 0) and not u.is_funded
  ), closed_direction as materialized (
    select c.operator, c.type, c.fault_version from operator_circuits c where c.fault is not null
  ), able as materialized (
    select f.*, case when f.item_index in (select u.item_index from unfunded u) then 0 else f.hold_minor end as held_minor,
           f.claim_lease_ms is not null and f.status = 'PENDING' and f.item_index not in (select u.item_index from unfunded u)
             and (f.operator, f.type, coalesce(f.claim_settings_version, ''))
                 not in (select c.operator, c.type, c.fault_version from closed_direction c) as is_sendable
      from fresh f
  ), waiting_for_float as materialized (
    -- Deposits that the account at the operator does not cover wait, as they do while an operator is down.
    select u.item_index
      from (select a.operator, array_agg(a.item_index order by a.item_index) as item_indexes,
                   array_agg(a.amount_minor order by a.item_index) as amounts_minor
              from able a where a.is_sendable and a.type = 'DEPOSIT' group by a.operator order by a.operator offset 0) d
      cross join lateral (select take_float(d.operator, d.amounts_minor, null) as count) t
      cross join lateral unnest(d.item_indexes[t.count + 1:]) as u (item_index)
  ), ready as materialized (
    select a.*, a.is_sendable and a.item_index not in (select w.item_index from waiting_for_float w) as is_claimed from able a
  ), new_transactions as (
    -- 2. The transaction, its origin, the collect that it refunds, its payment link, and its approval.
    insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency,
        amount_minor, fee_system_minor, fee_app_minor, held_minor, customer_name, purpose, phone_number, webhook_url, pay_token,
        source, maker_id, api_user_id, batch_id, needed_approval, created_at)
      select r.application_id, r.transaction_id, v_counts[r.application_index] + r.sequence_offset, r.external_id, r.type, r.status,
             r.operator, r.currency, r.amount_minor, r.fee_system_minor, r.fee_app_minor, r.held_minor, r.customer_name,
             r.purpose, r.phone_number, r.webhook_url, r.pay_token, r.source, r.maker_id, r.api_user_id, r.batch_id,
             r.status = 'PENDING_APPROVAL', v_at
        from ready r
  ), new_origins as (
    -- Fails if the other transaction was replaced already: transaction_origins_origin.
    insert into transaction_origins (application_id, transaction_id, origin_id)
      select r.application_id, r.transaction_id, r.origin_id from ready r where r.origin_id is not null
  ), new_refunds as (
    -- Fails if the refunds would exceed the collect: refuse_excessive_refund.
    insert into transaction_refunds (application_id, transaction_id, collect_id, refunded_minor)
      select r.application_id, r.transaction_id, r.refund_of, r.refunded_minor from ready r where r.refund_of is not null
  ), new_link_payments as (
    -- Fails if the link does not accept it: refuse_excessive_link_payment.
    insert into payment_link_payments (application_id, transaction_id, link_id)
      select r.application_id, r.transaction_id, r.link_id from ready r where r.link_id is not null
  ), new_approvals as (
    insert into approval_items (application_id, transaction_id, policy_version, rule, steps, needs_code, api_may_decide, expires_at)
      select r.application_id, r.transaction_id, (b.band ->> 'policyVersion')::integer, b.band -> 'rule',
             (select array_agg(s.value::smallint) from jsonb_array_elements_text(b.band -> 'steps') as s (value)),
             (b.band ->> 'needsCode')::boolean, coalesce((b.band ->> 'apiMayDecide')::boolean, false),
             v_at + (b.band ->> 'expiresInHours')::integer * interval '1 hour'
        from ready r cross join lateral (select v_waiting -> r.item_index::text as band) b
        where r.status = 'PENDING_APPROVAL'
  ), new_postings as (
    -- 3. The ledger: one posting for each hold, one change of each balance.
    insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, held_minor, at)
      select r.application_id, r.transaction_id, 'hold', r.operator, r.currency, p.deposit_minor, p.held_minor, v_at
        from ready r cross join lateral posting_amounts('hold', r.type, r.amount_minor, r.fee_system_minor, r.fee_app_minor) p
        where r.held_minor > 0
  ), balance_delta as materialized (
    select r.application_id, r.operator, sum(p.deposit_minor)::bigint as deposit_minor, sum(p.held_minor)::bigint as held_minor
      from ready r cross join lateral posting_amounts('hold', r.type, r.amount_minor, r.fee_system_minor, r.fee_app_minor) p
      where r.held_minor > 0 group by r.application_id, r.operator
  ), moved_balances as (
    update ledger_balances b set deposit_minor = b.deposit_minor + d.deposit_minor, held_minor = b.held_minor + d.held_minor
      from balance_delta d
      where b.application_id = d.application_id and b.operator = d.operator
      returning 1
  ), new_work as (
    -- 4. The operator work.
    insert into operator_work (application_id, transaction_id, operator, type, state, next_at, is_claimed, claimed_at, claimed_until, attempts,
        submissions, submit_number, route, enquire_at)
      select r.application_id, r.transaction_id, r.operator, r.type,
             case when r.held_minor < r.hold_minor then 'unfunded' when r.is_claimed then 'submitting' else 'queued' end,
             v_at + c.first_query_ms * interval '1 millisecond', r.is_claimed, c.at, c.at + r.claim_lease_ms * interval '1 millisecond',
             c.count, c.count, nullif(c.count, 0), c.route, c.at + r.claim_enquiry_delay_ms * interval '1 millisecond'
        from ready r
        cross join lateral (select case when r.is_claimed then v_at end as at, case when r.is_claimed then r.claim_route end as route,
                              case when r.is_claimed then r.claim_first_query_ms else 0 end as first_query_ms, r.is_claimed::integer as count) c
        where r.status = 'PENDING'
  ), moved_days as materialized (
    -- 5. What waits for approval by day (a task counts everything else), the sums of time zones, and the counters.
    select move_waiting_days(jsonb_agg(to_jsonb(d))) as is_done
      from (select r.application_id, (v_at at time zone 'UTC')::date as day, r.operator, r.type, v.status, sum(v.sign) as transaction_count,
                   sum(v.sign * r.amount_minor) as amount_minor
              from ready r cross join (values ('PENDING_APPROVAL', 1), ('PENDING', -1)) v (status, sign)
              where r.status = 'PENDING_APPROVAL' group by 1, 2, 3, 4, 5) d
      having count(*) > 0
  ), moved_edges as (
    -- A new transaction is newer than everything that is still to be counted for a zone.
    insert into transaction_day_edges (application_id, time_zone, status, day, business_day, operator, type, transaction_count,
        amount_minor, fee_system_minor, fee_app_minor)
      select r.application_id, z.time_zone, r.status, d.day, d.business_day, r.operator, r.type, count(*), sum(r.amount_minor),
             sum(r.fee_system_minor), sum(r.fee_app_minor)
        from ready r
        join day_zones z on z.application_id = r.application_id
        cross join lateral (select (v_at at time zone 'UTC')::date, (v_at at time zone z.time_zone)::date) d (day, business_day)
        where z.counted_from is not null and d.day <> d.business_day
        group by 1, 2, 3, 4, 5, 6, 7
      on conflict (application_id, time_zone, status, day, business_day, operator, type) do update
        set transaction_count = transaction_day_edges.transaction_count + excluded.transaction_count,
            amount_minor = transaction_day_edges.amount_minor + excluded.amount_minor,
            fee_system_minor = transaction_day_edges.fee_system_minor + excluded.fee_system_minor,
            fee_app_minor = transaction_day_edges.fee_app_minor + excluded.fee_app_minor
  ), moved_counters as (
    update application_counters c
      set transaction_count = c.transaction_count + n.total, pending_count = c.pending_count + n.pending,
          pending_approval_count = c.pending_approval_count + n.total - n.pending, change_number = c.change_number + 1
      from (select r.application_id, count(*) as total, count(*) filter (where r.status = 'PENDING') as pending
              from ready r group by r.application_id) n
      where c.application_id = n.application_id
  )
  select k.item_index, case when k.same_content then 'existing' else 'conflict' end, k.transaction_id, k.status, k.amount_minor,
         k.fee_system_minor, k.fee_app_minor, k.pay_token, false
    from known k
  union all
  select r.item_index, 'created', r.transaction_id, r.status, r.amount_minor, r.fee_system_minor, r.fee_app_minor, r.pay_token, r.is_claimed
    from ready r
    where assert_balances_moved((select count(*) from moved_balances), (select count(*) from balance_delta))
      and (select count(*) from moved_days) >= 0;
end $$;
