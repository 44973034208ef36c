-- Locks and plans follow the rules stated in intake-batch.sql.
--
-- Moves transactions along one edge each. An item whose transaction is not (or no longer) in the state that its edge
-- starts from changes nothing and is reported with what it found: is_moved false.
-- A deposit that is approved is funded here; where the balance does not cover it, it goes to PENDING unheld and the
-- dispatcher ends it as refused.
create or replace function transition_batch(p_applications uuid[], p_items json)
returns table (place integer, is_moved boolean, status text, version integer)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_successes bigint[];
  v_failures bigint[];
begin
  select array_agg(c.success_count order by c.application_id), array_agg(c.failed_count order by c.application_id)
    into v_successes, v_failures
    from (select * from application_counters where application_id = any (p_applications)
          order by application_id for no key update) c;
  if cardinality(v_successes) is distinct from cardinality(p_applications) then
    raise exception 'an application has no counters' using errcode = 'foreign_key_violation';
  end if;
  v_at := service_time();

  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (place integer, app uuid, nth_app integer, id uuid, from_status text, to_status text,
      event text, message text, reason text, operator_token text, actor_kind text, actor uuid, checker uuid, at timestamptz)
  ), found as materialized (
    select t.ctid as row_place, i.place, i.app, i.nth_app, i.id, i.from_status, i.to_status, i.event, i.message, i.reason, i.operator_token,
           i.actor_kind, i.actor, i.checker, case when i.at is null then v_at else service_time(i.at) end as at, t.status as now_status, t.version as now_version, t.type, t.operator, t.currency,
           t.amount_minor, t.fee_system_minor, t.fee_app_minor, t.held_minor, t.webhook_url, t.created_at,
           t.status = i.from_status and (i.checker is null or t.maker_id is null or i.checker <> t.maker_id)
             -- A deposit that nothing was held for cannot have been paid out of the balance.
             and not (i.to_status = 'SUCCESS' and t.type = 'DEPOSIT' and t.held_minor = 0)
             -- Nothing is approved that could not be started now. Read after the lock, so that a switch that was committed counts.
             and case when i.event = 'approved'
                      then coalesce((select a.is_enabled from applications a where a.application_id = i.app), false)
                           and coalesce((select s.is_enabled from transfer_services s where s.application_id = i.app
                                           and s.operator = t.operator and s.type = t.type), true)
                      else true end as may_move
      from item i
      cross join lateral (select n.*, n.ctid from transactions n where n.application_id = i.app and n.transaction_id >= i.id
                          order by n.transaction_id limit 1) t
      where t.transaction_id = i.id
  ), moving as materialized (
    select f.*, row_number() over (partition by f.app, f.to_status order by f.place) as nth,
           case when f.to_status = 'PENDING' and f.type = 'DEPOSIT' then p.held_minor else 0 end as hold
      from found f cross join lateral posting_amounts('hold', f.type, f.amount_minor, f.fee_system_minor, f.fee_app_minor) p
      where f.may_move
  ), need as materialized (
    select m.app, m.operator, sum(m.hold)::bigint as total, array_agg(m.place order by m.place) as places,
           array_agg(m.hold order by m.place) as holds
      from moving m where m.hold > 0 group by m.app, m.operator
  ), refused as materialized (
    -- No balance row is a balance of zero.
    select u.place from need n
      left join ledger_balances b on b.application_id = n.app and b.operator = n.operator
      cross join lateral unnest(n.places, fund_in_order(coalesce(b.deposit_minor, 0), n.holds)) as u (place, is_funded)
      where n.total > coalesce(b.deposit_minor, 0) and not u.is_funded
  ), posting as materialized (
    select m.*, case when m.to_status = 'SUCCESS' then 'settle'
                     when m.to_status = 'FAILED' and m.held_minor > 0 then 'release'
                     when m.hold > 0 and m.place not in (select r.place from refused r) then 'hold' end as posting_kind
      from moving m
  ), entry as materialized (
    select p.*, a.collect_minor as collect_delta, a.deposit_minor as deposit_delta, a.held_minor as held_delta,
           a.fees_minor as fees_delta, a.clearing_minor as clearing_delta, a.revenue_minor as revenue_delta
      from posting p
      cross join lateral posting_amounts(p.posting_kind, p.type, p.amount_minor, p.fee_system_minor, p.fee_app_minor) a
  ), moved_transactions as (
    update transactions t
      set status = e.to_status, version = t.version + 1, held_minor = t.held_minor + e.held_delta,
          message = coalesce(e.message, t.message), operator_token = coalesce(e.operator_token, t.operator_token),
          checker_id = coalesce(e.checker, t.checker_id),
          final_sequence = case e.to_status when 'SUCCESS' then v_successes[e.nth_app] + e.nth when 'FAILED' then v_failures[e.nth_app] + e.nth end,
          final_at = case when e.to_status in ('SUCCESS', 'FAILED') then e.at end
      from entry e
      where t.ctid = e.row_place and t.application_id = e.app and t.transaction_id = e.id
      returning 1
  ), new_events as (
    insert into transaction_events (application_id, transaction_id, version, from_status, to_status, event, actor_kind, actor_id, reason, at)
      select e.app, e.id, e.now_version + 1, e.from_status, e.to_status, e.event, e.actor_kind, e.actor, e.reason, e.at from entry e
  ), new_postings as (
    insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor,
        held_minor, fees_minor, clearing_minor, revenue_minor, at)
      select e.app, e.id, e.posting_kind, e.operator, e.currency, e.collect_delta, e.deposit_delta, e.held_delta,
             e.fees_delta, e.clearing_delta, e.revenue_delta, e.at
        from entry e
        where e.posting_kind is not null
  ), balance_delta as materialized (
    select e.app, e.operator, sum(e.collect_delta)::bigint as collect_delta, sum(e.deposit_delta)::bigint as deposit_delta,
           sum(e.held_delta)::bigint as held_delta, sum(e.fees_delta)::bigint as fees_delta,
           sum(e.clearing_delta)::bigint as clearing_delta, sum(e.revenue_delta)::bigint as revenue_delta
      from entry e where e.posting_kind is not null group by e.app, e.operator
  ), moved_balances as (
    update ledger_balances b
      set collect_minor = b.collect_minor + d.collect_delta, deposit_minor = b.deposit_minor + d.deposit_delta,
          held_minor = b.held_minor + d.held_delta, fees_minor = b.fees_minor + d.fees_delta,
          clearing_minor = b.clearing_minor + d.clearing_delta, revenue_minor = b.revenue_minor + d.revenue_delta
      from balance_delta d
      where b.application_id = d.app and b.operator = d.operator
      returning 1
  ), ended_work as (
    delete from operator_work w using entry e
      where w.application_id = e.app and w.transaction_id = e.id and e.from_status = 'PENDING'
  ), new_work as (
    insert into operator_work (application_id, transaction_id, operator, state, next_at)
      select e.app, e.id, e.operator, case when e.hold > 0 and e.posting_kind is null then 'refused' else 'queued' end, e.at
        from entry e where e.to_status = 'PENDING'
  ), new_deliveries as (
    -- Not within half a second of the creation: a webhook must not overtake the answer to the request that began it.
    -- The target is a key of an index: as long as an entry of it can be, and without what stands before an @, which would
    -- make any number of targets of one receiver.
    insert into webhook_deliveries (application_id, transaction_id, target, next_at, created_at)
      select e.app, e.id,
             left(lower(case when e.webhook_url like '%@%'
                             then regexp_replace(substring(e.webhook_url from '^[A-Za-z]+://[^/?#]+'), '://.*@', '://')
                             else substring(e.webhook_url from '^[A-Za-z]+://[^/?#]+') end), 300),
             greatest(e.at, e.created_at + interval '500 milliseconds'), e.at
        from entry e where e.to_status in ('SUCCESS', 'FAILED')
  ), day_delta as materialized (
    -- One net figure per roll-up row: a statement can change a row only once.
    select d.app, d.day, d.operator, d.type, d.status, sum(d.rows)::bigint as rows, sum(d.amount)::bigint as amount
      from (select e.app, (e.created_at at time zone 'UTC')::date as day, e.operator, e.type, e.to_status as status,
                   1 as rows, e.amount_minor as amount from entry e
            union all
            select e.app, (e.created_at at time zone 'UTC')::date, e.operator, e.type, e.from_status, -1, -e.amount_minor
              from entry e) d
      group by 1, 2, 3, 4, 5
  ), moved_days as (
    update transaction_days r
      set transaction_count = r.transaction_count + d.rows, amount_minor = r.amount_minor + d.amount
      from day_delta d
      where r.application_id = d.app and r.day = d.day and r.operator = d.operator and r.type = d.type and r.status = d.status
  ), new_days as (
    insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
      select d.app, d.day, d.operator, d.type, d.status, d.rows, d.amount from day_delta d
        where not exists (select 1 from transaction_days r where r.application_id = d.app and r.day = d.day
                            and r.operator = d.operator and r.type = d.type and r.status = d.status)
  ), moved_counters as (
    update application_counters c
      set pending_count = c.pending_count + n.pending, pending_approval_count = c.pending_approval_count - n.decided,
          success_count = c.success_count + n.succeeded, failed_count = c.failed_count + n.failed,
          change_number = c.change_number + 1
      from (select e.app,
                   count(*) filter (where e.to_status = 'PENDING') - count(*) filter (where e.from_status = 'PENDING') as pending,
                   count(*) filter (where e.from_status = 'PENDING_APPROVAL') as decided,
                   count(*) filter (where e.to_status = 'SUCCESS') as succeeded,
                   count(*) filter (where e.to_status = 'FAILED') as failed
              from entry e group by e.app) n
      where c.application_id = n.app
  )
  select f.place, f.may_move, case when f.may_move then f.to_status else f.now_status end,
         f.now_version + case when f.may_move then 1 else 0 end
    from found f
    where same_number((select count(*) from moved_transactions), (select count(*) from entry))
      and balances_moved((select count(*) from moved_balances), (select count(*) from balance_delta));
end $$;
