-- Locks and plans follow the rules in start-transactions.sql.
--
-- Moves transactions along one edge each. An item whose transaction is not (or no longer) in the state in which its edge starts
-- changes nothing, and is returned with is_moved false and the status that was found. There is no row for an item whose
-- transaction does not exist in its application.
-- An approved deposit is funded here. If the balance does not cover it, it becomes PENDING with nothing held, and the dispatcher
-- ends it without calling the operator.
-- An answer that comes with an item is stored as an attempt, even if nothing moves. Without answer_number the query was made for a callback, and
-- the operator work gives the answer its number. That callback is stored with it, if the item moves.
--
-- With p_webhook_lease_ms the caller delivers webhooks itself, except to the receivers in p_busy_targets. A webhook that is due at once is then
-- inserted as its claim, in the state in which start-webhook-attempts.sql leaves it, and returned as that function does. webhook_target is also
-- returned for webhooks that are inserted unclaimed, and the other columns webhook_… are null then.
create or replace function apply_transitions(p_application_ids uuid[], p_items json, p_webhook_lease_ms integer, p_busy_targets text[])
returns table (item_index integer, is_moved boolean, status text, version integer, webhook_target text, webhook_url text,
               webhook_external_id text, webhook_amount_minor text, webhook_phone_number text, webhook_operator text, webhook_message text,
               webhook_final_at text)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_successes bigint[];
  v_failures bigint[];
  v_final_at text;
begin
  select array_agg(c.success_count order by c.application_id), array_agg(c.failed_count order by c.application_id)
    into v_successes, v_failures
    from (select * from application_counters where application_id = any (p_application_ids)
          order by application_id for no key update) c;
  if cardinality(v_successes) is distinct from cardinality(p_application_ids) then
    raise exception 'an application has no counters' using errcode = 'foreign_key_violation';
  end if;
  v_at := clock_timestamp();
  v_final_at := to_char(v_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

  return query
  with item as materialized (
    -- 1. Which items may move, and what the balances cover. The answers that found the results are stored in any case.
    select i.* from json_to_recordset(p_items) as i (item_index integer, application_id uuid, application_index integer,
      transaction_id uuid, from_status text, to_status text, event text, message text, reason text, operator_token text,
      operator_reference text, operator_reference_other text, actor_kind text, actor_id uuid, checker_id uuid, answer_number integer,
      answer_outcome text, answer_http_status integer, answer_text text, answer_duration_ms integer, callback_outcome text,
      callback_text text, callback_is_verified boolean)
      where i.item_index = i.item_index + 0
  ), open_application as materialized (
    select a.application_id from applications a where a.application_id = any (p_application_ids) and a.is_enabled
  ), closed_service as materialized (
    select s.application_id, s.operator, s.type from transfer_services s
      where s.application_id = any (p_application_ids) and not s.is_enabled
  ), found as materialized (
    select t.ctid as row_address, i.*, t.status as current_status, t.version as current_version, t.type, t.operator, t.currency,
           t.amount_minor, t.fee_system_minor, t.fee_app_minor, t.held_minor, t.webhook_url, t.created_at, t.sequence, t.batch_id,
           t.external_id, t.phone_number, coalesce(i.message, t.message) as final_message, w.webhook_target,
           w.webhook_target is not null and p_webhook_lease_ms is not null and t.created_at <= v_at - interval '500 milliseconds'
             and not w.webhook_target = any (p_busy_targets) as is_webhook_claimed,
           t.status = i.from_status and (i.checker_id is null or t.maker_id is null or i.checker_id <> t.maker_id)
             -- A deposit for which nothing is held cannot have been paid out of the balance.
             and not (i.to_status = 'SUCCESS' and t.type = 'DEPOSIT' and t.held_minor = 0)
             -- Only what could be started now is approved. Read after the lock, so that a change committed before it counts.
             and case when i.event = 'approved'
                      then i.application_id in (select o.application_id from open_application o)
                           and (i.application_id, t.operator, t.type) not in (select c.application_id, c.operator, c.type from closed_service c)
                           and not exists (select from transaction_refunds r where r.application_id = i.application_id
                                             and r.transaction_id = i.transaction_id and refund_obstacle(r.application_id, r.collect_id) is not null)
                      -- A transaction that an operator may have is never stopped. The caller holds the locks of the rows.
                      when i.event = 'stopped'
                      then coalesce((select w.state in ('queued', 'paused') from operator_work w
                                       where w.application_id = i.application_id and w.transaction_id = i.transaction_id), false)
                      else true end as may_move
      from item i
      cross join lateral (select n.*, n.ctid from transactions n
                          where n.application_id = i.application_id and n.transaction_id >= i.transaction_id
                          order by n.transaction_id limit 1) t
      -- The target is the key of an index. It is cut to the length of an index entry, and everything before an @ is removed,
      -- because otherwise one receiver would have any number of targets.
      cross join lateral (select case when i.to_status in ('SUCCESS', 'FAILED')
             then left(lower(case when t.webhook_url like '%@%'
                             then regexp_replace(substring(t.webhook_url from '^[A-Za-z]+://[^/?#]+'), '://.*@', '://')
                             else substring(t.webhook_url from '^[A-Za-z]+://[^/?#]+') end), 300) end as webhook_target) w
      where t.transaction_id = i.transaction_id
  ), other_attempts as (
    -- A query that ends nothing.
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer)
      select f.application_id, f.transaction_id,
             coalesce(f.answer_number, (select coalesce(max(a.number), 0) + 1 from all_operator_attempts a
               where a.application_id = f.application_id and a.transaction_id = f.transaction_id)),
             'query', v_at - f.answer_duration_ms * interval '1 millisecond', v_at, f.answer_outcome, f.answer_http_status, f.answer_text
        from found f where not f.may_move and (f.answer_number is not null or f.answer_outcome is not null)
      on conflict (application_id, transaction_id, number) do nothing
  ), moving as materialized (
    select f.*, row_number() over (partition by f.application_id, f.to_status order by f.item_index) as sequence_offset,
           case when f.to_status = 'PENDING' and f.type = 'DEPOSIT' then p.held_minor else 0 end as hold_minor
      from found f cross join lateral posting_amounts('hold', f.type, f.amount_minor, f.fee_system_minor, f.fee_app_minor) p
      where f.may_move
  ), need as materialized (
    select m.application_id, m.operator, sum(m.hold_minor)::bigint as total_minor,
           array_agg(m.item_index order by m.item_index) as item_indexes,
           array_agg(m.hold_minor order by m.item_index) as holds_minor
      from moving m where m.hold_minor > 0 group by m.application_id, m.operator
  ), unfunded as materialized (
    -- A missing balance row counts as a balance of zero.
    select u.item_index from need n
      left join ledger_balances b on b.application_id = n.application_id and b.operator = n.operator
      cross join lateral unnest(n.item_indexes, fund_in_order(coalesce(b.deposit_minor, 0), n.holds_minor)) as u (item_index, is_funded)
      where n.total_minor > coalesce(b.deposit_minor, 0) and not u.is_funded
  ), posting as materialized (
    select m.*, case when m.to_status = 'SUCCESS' then 'settle'
                     when m.to_status = 'FAILED' and m.held_minor > 0 then 'release'
                     when m.hold_minor > 0 and m.item_index not in (select u.item_index from unfunded u) then 'hold' end as posting_kind
      from moving m
  ), entry as materialized (
    select p.*, a.collect_minor as collect_delta, a.deposit_minor as deposit_delta, a.held_minor as held_delta,
           a.fees_minor as fees_delta, a.clearing_minor as clearing_delta, a.revenue_minor as revenue_delta
      from posting p
      cross join lateral posting_amounts(p.posting_kind, p.type, p.amount_minor, p.fee_system_minor, p.fee_app_minor) a
  ), moved_transactions as (
    -- 2. The transaction and its event.
    update transactions t
      set status = e.to_status, version = t.version + 1, held_minor = t.held_minor + e.held_delta,
          message = coalesce(e.message, t.message), operator_token = coalesce(e.operator_token, t.operator_token),
          operator_reference = coalesce(e.operator_reference, t.operator_reference),
          operator_reference_other = coalesce(e.operator_reference_other, t.operator_reference_other),
          checker_id = coalesce(e.checker_id, t.checker_id),
          final_at = case when e.to_status in ('SUCCESS', 'FAILED') then v_at end
      from entry e
      where t.ctid = e.row_address and t.application_id = e.application_id and t.transaction_id = e.transaction_id
      returning 1
  ), new_events as (
    insert into transaction_events (application_id, transaction_id, version, from_status, to_status, event, actor_kind, actor_id, reason, at,
        final_sequence)
      select e.application_id, e.transaction_id, e.current_version + 1, e.from_status, e.to_status, e.event, e.actor_kind, e.actor_id,
             e.reason, v_at, case e.to_status when 'SUCCESS' then v_successes[e.application_index] + e.sequence_offset
                                              when 'FAILED' then v_failures[e.application_index] + e.sequence_offset end
        from entry e
  ), new_postings as (
    -- 3. The ledger: one posting for each settlement, release or hold, one change of each balance.
    insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor,
        held_minor, fees_minor, clearing_minor, revenue_minor, at)
      select e.application_id, e.transaction_id, e.posting_kind, e.operator, e.currency, e.collect_delta, e.deposit_delta, e.held_delta,
             e.fees_delta, e.clearing_delta, e.revenue_delta, v_at
        from entry e
        where e.posting_kind is not null
  ), balance_delta as materialized (
    select e.application_id, e.operator, sum(e.collect_delta)::bigint as collect_delta, sum(e.deposit_delta)::bigint as deposit_delta,
           sum(e.held_delta)::bigint as held_delta, sum(e.fees_delta)::bigint as fees_delta,
           sum(e.clearing_delta)::bigint as clearing_delta, sum(e.revenue_delta)::bigint as revenue_delta
      from entry e where e.posting_kind is not null group by e.application_id, e.operator
  ), moved_balances as (
    update ledger_balances b
      set collect_minor = b.collect_minor + d.collect_delta, deposit_minor = b.deposit_minor + d.deposit_delta,
          held_minor = b.held_minor + d.held_delta, fees_minor = b.fees_minor + d.fees_delta,
          clearing_minor = b.clearing_minor + d.clearing_delta, revenue_minor = b.revenue_minor + d.revenue_delta
      from balance_delta d
      where b.application_id = d.application_id and b.operator = d.operator
      returning 1
  ), ended_work as (
    -- 4. The operator work, with the attempts that end it, and the webhooks.
    delete from operator_work w using entry e
      where w.application_id = e.application_id and w.transaction_id = e.transaction_id and e.from_status = 'PENDING'
      returning w.application_id, w.transaction_id, w.state, w.submit_number, w.claimed_at, w.submit_started_at, w.submit_finished_at,
                w.submit_http_status, w.submit_answer, e.callback_outcome, e.callback_text, e.callback_is_verified, e.answer_outcome,
                e.answer_http_status, e.answer_text,
                -- The row that is deleted knows every number that was given out.
                case when e.callback_outcome is not null then w.attempts + 1 end as callback_number,
                case when e.callback_outcome is not null then v_at end as callback_at,
                case when e.answer_number is not null or e.answer_outcome is not null
                     then coalesce(e.answer_number, w.attempts + 1 + (e.callback_outcome is not null)::integer) end as query_number,
                v_at - e.answer_duration_ms * interval '1 millisecond' as query_started_at,
                case when e.answer_number is not null or e.answer_outcome is not null then v_at end as query_finished_at
  ), last_attempts as (
    -- A submission that is still without an answer is completed if one comes. One that was stored before gets the callback and the query.
    insert into operator_attempts as a (application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer,
        is_verified, callback_number, callback_at, callback_outcome, callback_answer, callback_is_verified, query_number, query_started_at,
        query_finished_at, query_outcome, query_http_status, query_answer)
      select w.application_id, w.transaction_id, w.submit_number, 'submit', coalesce(w.submit_started_at, w.claimed_at), w.submit_finished_at,
             case when w.submit_finished_at is not null then 'accepted' end, w.submit_http_status, w.submit_answer, null::boolean,
             w.callback_number, w.callback_at, w.callback_outcome, w.callback_text, w.callback_is_verified, w.query_number, w.query_started_at,
             w.query_finished_at, w.answer_outcome, w.answer_http_status, w.answer_text
        from ended_work w
        where w.submit_number is not null
          and (w.state = 'submitting' or w.submit_finished_at is not null or w.callback_number is not null or w.query_number is not null)
      union all
      -- Nothing was submitted.
      select w.application_id, w.transaction_id, w.callback_number, 'callback', w.callback_at, w.callback_at, w.callback_outcome, null,
             w.callback_text, w.callback_is_verified, null, null, null, null, null, null, null, null, null, null, null
        from ended_work w where w.submit_number is null and w.callback_number is not null
      union all
      select w.application_id, w.transaction_id, w.query_number, 'query', w.query_started_at, w.query_finished_at, w.answer_outcome,
             w.answer_http_status, w.answer_text, null, null, null, null, null, null, null, null, null, null, null, null
        from ended_work w where w.submit_number is null and w.query_number is not null
      on conflict (application_id, transaction_id, number) do update
        set callback_number = excluded.callback_number, callback_at = excluded.callback_at, callback_outcome = excluded.callback_outcome,
            callback_answer = excluded.callback_answer, callback_is_verified = excluded.callback_is_verified,
            query_number = excluded.query_number, query_started_at = excluded.query_started_at, query_finished_at = excluded.query_finished_at,
            query_outcome = excluded.query_outcome, query_http_status = excluded.query_http_status, query_answer = excluded.query_answer
        where a.kind = 'submit' and (excluded.callback_number is not null or excluded.query_number is not null)
  ), new_work as (
    insert into operator_work (application_id, transaction_id, operator, type, state, next_at)
      select e.application_id, e.transaction_id, e.operator, e.type,
             case when e.hold_minor > 0 and e.posting_kind is null then 'unfunded' when e.is_held then 'paused' else 'queued' end,
             case when e.is_held and (e.hold_minor = 0 or e.posting_kind is not null) then 'infinity' else v_at end
        from (select n.*, n.batch_id is not null and exists (select from batch_runs r where r.application_id = n.application_id
                                                               and r.batch_id = n.batch_id and r.state <> 'running') as is_held
                from entry n where n.to_status = 'PENDING') e
  ), new_deliveries as (
    -- Not within half a second of the creation, so that a webhook does not overtake the response to its request.
    insert into webhook_deliveries (application_id, transaction_id, attempts, claimed_until, target, next_at, created_at)
      select e.application_id, e.transaction_id, e.is_webhook_claimed::integer,
             case when e.is_webhook_claimed then v_at + p_webhook_lease_ms * interval '1 millisecond' end, e.webhook_target,
             greatest(v_at, e.created_at + interval '500 milliseconds'), v_at
        from entry e where e.to_status in ('SUCCESS', 'FAILED') and e.webhook_url is not null
  ), moved_days as materialized (
    -- 5. What no longer waits for approval by day (a task counts everything else), the sums of time zones, and the counters.
    select move_waiting_days(jsonb_agg(to_jsonb(d))) as is_done
      from (select e.application_id, (e.created_at at time zone 'UTC')::date as day, e.operator, e.type, v.status, sum(v.sign) as transaction_count,
                   sum(v.sign * e.amount_minor) as amount_minor
              from entry e cross join (values ('PENDING_APPROVAL', -1), ('PENDING', 1)) v (status, sign)
              where e.from_status = 'PENDING_APPROVAL' group by 1, 2, 3, 4, 5) d
      having count(*) > 0
  ), moved_edges as (
    -- Rows still to be counted for a zone are counted with the status that they have then.
    insert into transaction_day_edges (application_id, time_zone, status, day, business_day, operator, type, transaction_count,
        amount_minor, fee_system_minor, fee_app_minor)
      select e.application_id, z.time_zone, v.status, d.day, d.business_day, e.operator, e.type, sum(v.sign), sum(v.sign * e.amount_minor),
             sum(v.sign * e.fee_system_minor), sum(v.sign * e.fee_app_minor)
        from entry e
        join day_zones z on z.application_id = e.application_id
        cross join lateral (select (e.created_at at time zone 'UTC')::date, (e.created_at at time zone z.time_zone)::date) d (day, business_day)
        cross join lateral (values (e.to_status, 1), (e.from_status, -1)) v (status, sign)
        where e.sequence >= z.counted_from and d.day <> d.business_day
        group by 1, 2, 3, 4, 5, 6, 7
      on conflict (application_id, time_zone, status, day, business_day, operator, type) do update
        set transaction_count = transaction_day_edges.transaction_count + excluded.transaction_count,
            amount_minor = transaction_day_edges.amount_minor + excluded.amount_minor,
            fee_system_minor = transaction_day_edges.fee_system_minor + excluded.fee_system_minor,
            fee_app_minor = transaction_day_edges.fee_app_minor + excluded.fee_app_minor
  ), moved_counters as (
    update application_counters c
      set pending_count = c.pending_count + n.pending, pending_approval_count = c.pending_approval_count - n.decided,
          success_count = c.success_count + n.succeeded, failed_count = c.failed_count + n.failed,
          change_number = c.change_number + 1
      from (select e.application_id,
                   count(*) filter (where e.to_status = 'PENDING') - count(*) filter (where e.from_status = 'PENDING') as pending,
                   count(*) filter (where e.from_status = 'PENDING_APPROVAL') as decided,
                   count(*) filter (where e.to_status = 'SUCCESS') as succeeded,
                   count(*) filter (where e.to_status = 'FAILED') as failed
              from entry e group by e.application_id) n
      where c.application_id = n.application_id
  )
  select f.item_index, f.may_move, case when f.may_move then f.to_status else f.current_status end,
         f.current_version + case when f.may_move then 1 else 0 end,
         case when f.may_move then f.webhook_target end, w.url, w.external_id, w.amount_minor, w.phone_number, w.operator, w.message, w.final_at
    from found f
    left join lateral (select f.webhook_url, f.external_id::text, f.amount_minor::text, f.phone_number, f.operator, f.final_message, v_final_at
                         where f.may_move and f.is_webhook_claimed)
      w (url, external_id, amount_minor, phone_number, operator, message, final_at) on true
    where assert_same_count((select count(*) from moved_transactions), (select count(*) from entry))
      and assert_balances_moved((select count(*) from moved_balances), (select count(*) from balance_delta))
      and (select count(*) from moved_days) >= 0;
end $$;
