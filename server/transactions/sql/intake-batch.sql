-- The statement that takes money requests in; transition-batch.sql is the one that moves them on. Each takes a whole batch in
-- one call and commits with it. Both lock the counters of the applications concerned first, in one global order: that lock
-- orders everything that happens to an application's money, so the rest may read and write without racing, and no two
-- batches can deadlock.
--
-- `nth_app` of an item is the position of its application in p_applications, which must be distinct and ascending.
--
-- Both allow nested loops over indexes only: their plans are kept for the life of a connection, and neither a plan made
-- while a table was empty nor one that reads a whole index to join a few rows may survive the table's growth. For the
-- same reason transactions are found by "the first at or after this key, in order": on an empty table the planner accepts
-- any index that begins with application_id, but only the right one needs no sort.

-- Takes new transactions in. Returns only what the caller cannot know: rows whose externalId was there before, with
-- what is stored, and rows that approval rules sent to PENDING_APPROVAL.
create or replace function intake_batch(p_applications uuid[], p_items json)
returns table (place integer, outcome text, transaction_id uuid, same_content boolean, status text, amount_minor bigint,
               fee_system_minor bigint, fee_app_minor bigint, pay_token text)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_counts bigint[];
  v_waiting jsonb := '{}';
  v_band jsonb;
  v_item record;
begin
  select array_agg(c.transaction_count order by c.application_id) into v_counts
    from (select * from application_counters where application_id = any (p_applications)
          order by application_id for no key update) c;
  if cardinality(v_counts) is distinct from cardinality(p_applications) then
    raise exception 'an application has no counters' using errcode = 'foreign_key_violation';
  end if;
  -- Read after the lock: creation times of one application then follow its sequence.
  v_at := service_time();

  -- Only items that carry bands come here: most applications have no rule for what their API starts.
  for v_item in
    select i.*, sum(i.amount) over (partition by i.app, i.type, i.maker, i.source, i.forms[1] order by i.place) - i.amount as earlier
      from (select n.*, coalesce(n.phones, array[n.phone]) as forms
              from json_to_recordset(p_items) as n (place integer, app uuid, ext uuid, type text, phone text, phones text[], amount bigint,
                                                    batch_sum bigint, source text, maker uuid, bands jsonb, at timestamptz)
              where n.bands is not null) i
      -- What is stored already counts as stored, and not once more as a part of this batch.
      left join lateral (select t.external_id from transactions t where t.application_id = i.app and t.external_id >= i.ext
                         order by t.external_id limit 1) t on true
      where t.external_id is distinct from i.ext
  loop
    v_band := approval_band_for(v_item.app, v_item.type, v_item.maker, v_item.source, v_item.forms, v_item.amount,
                                coalesce(v_item.batch_sum, 0), v_item.earlier::bigint, v_item.bands,
                                case when v_item.at is null then v_at else service_time(v_item.at) end);
    if v_band is not null then
      v_waiting := v_waiting || jsonb_build_object(v_item.place::text, v_band);
    end if;
  end loop;

  return query
  with item as materialized (
    select i.place, i.app, i.nth_app, i.id, i.ext, i.type, i.op, i.cur, i.name, i.phone, i.amount, i.fsys, i.fapp, i.url, i.tok,
           i.source, i.maker, i.batch, i.actor_kind, i.actor, case when i.at is null then v_at else service_time(i.at) end as at,
           case when v_waiting ? i.place::text then 'PENDING_APPROVAL' else 'PENDING' end as status
      from json_to_recordset(p_items) as i (place integer, app uuid, nth_app integer, id uuid, ext uuid, type text, op text, cur text,
        name text, phone text, amount bigint, fsys bigint, fapp bigint, url text, tok text, source text, maker uuid,
        batch uuid, actor_kind text, actor uuid, at timestamptz)
  ), known as materialized (
    select i.place, t.transaction_id, t.status, t.amount_minor, t.fee_system_minor, t.fee_app_minor, t.pay_token,
           t.type = i.type and t.operator = i.op and t.customer_name = i.name and t.phone_number = i.phone
             and t.amount_minor = i.amount and t.webhook_url = i.url as same_content
      from item i
      cross join lateral (select n.* from transactions n where n.application_id = i.app and n.external_id >= i.ext
                          order by n.external_id limit 1) t
      where t.external_id = i.ext
  ), fresh as materialized (
    select i.*, row_number() over (partition by i.app order by i.place) as nth,
           case when i.type = 'DEPOSIT' and i.status = 'PENDING' then p.held_minor else 0 end as hold
      from item i cross join lateral posting_amounts('hold', i.type, i.amount, i.fsys, i.fapp) p where i.place not in (select k.place from known k)
  ), need as materialized (
    select f.app, f.op, sum(f.hold)::bigint as total, array_agg(f.place order by f.place) as places,
           array_agg(f.hold order by f.place) as holds
      from fresh f where f.hold > 0 group by f.app, f.op
  ), refused as materialized (
    -- No balance row is a balance of zero.
    select u.place from need n
      left join ledger_balances b on b.application_id = n.app and b.operator = n.op
      cross join lateral unnest(n.places, fund_in_order(coalesce(b.deposit_minor, 0), n.holds)) as u (place, is_funded)
      where n.total > coalesce(b.deposit_minor, 0) and not u.is_funded
  ), ready as materialized (
    select f.*, case when f.place in (select r.place from refused r) then 0 else f.hold end as held from fresh f
  ), new_transactions as (
    insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency,
        amount_minor, fee_system_minor, fee_app_minor, held_minor, customer_name, phone_number, webhook_url, pay_token,
        source, maker_id, batch_id, created_at)
      select r.app, r.id, v_counts[r.nth_app] + r.nth, r.ext, r.type, r.status, r.op, r.cur, r.amount, r.fsys, r.fapp,
             r.held, r.name, r.phone, r.url, r.tok, r.source, r.maker, r.batch, r.at
        from ready r
  ), new_events as (
    insert into transaction_events (application_id, transaction_id, version, to_status, event, actor_kind, actor_id, at)
      select r.app, r.id, 1, r.status, 'created', r.actor_kind, r.actor, r.at from ready r
  ), new_approvals as (
    insert into approval_items (application_id, transaction_id, policy_version, rule, steps, needs_code, api_may_decide, expires_at)
      select r.app, r.id, (b.band ->> 'policyVersion')::integer, b.band -> 'rule',
             (select array_agg(s.value::smallint) from jsonb_array_elements_text(b.band -> 'steps') as s (value)),
             (b.band ->> 'needsCode')::boolean, coalesce((b.band ->> 'apiMayDecide')::boolean, false), r.at + (b.band ->> 'expiresInHours')::integer * interval '1 hour'
        from ready r cross join lateral (select v_waiting -> r.place::text as band) b
        where r.status = 'PENDING_APPROVAL'
  ), new_postings as (
    insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, held_minor, at)
      select r.app, r.id, 'hold', r.op, r.cur, p.deposit_minor, p.held_minor, r.at
        from ready r cross join lateral posting_amounts('hold', r.type, r.amount, r.fsys, r.fapp) p where r.held > 0
  ), balance_delta as materialized (
    select r.app, r.op, sum(p.deposit_minor)::bigint as deposit, sum(p.held_minor)::bigint as held
      from ready r cross join lateral posting_amounts('hold', r.type, r.amount, r.fsys, r.fapp) p where r.held > 0 group by r.app, r.op
  ), moved_balances as (
    update ledger_balances b set deposit_minor = b.deposit_minor + m.deposit, held_minor = b.held_minor + m.held
      from balance_delta m
      where b.application_id = m.app and b.operator = m.op
      returning 1
  ), new_work as (
    insert into operator_work (application_id, transaction_id, operator, state, next_at)
      select r.app, r.id, r.op, case when r.held < r.hold then 'refused' else 'queued' end, r.at
        from ready r where r.status = 'PENDING'
  ), moved_days as (
    insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
      select r.app, (r.at at time zone 'UTC')::date, r.op, r.type, r.status, count(*), sum(r.amount)
        from ready r group by 1, 2, 3, 4, 5
      on conflict (application_id, day, operator, type, status) do update
        set transaction_count = transaction_days.transaction_count + excluded.transaction_count,
            amount_minor = transaction_days.amount_minor + excluded.amount_minor
  ), moved_counters as (
    update application_counters c
      set transaction_count = c.transaction_count + n.total, pending_count = c.pending_count + n.pending,
          pending_approval_count = c.pending_approval_count + n.total - n.pending, change_number = c.change_number + 1
      from (select r.app, count(*) as total, count(*) filter (where r.status = 'PENDING') as pending
              from ready r group by r.app) n
      where c.application_id = n.app
  )
  select k.place, 'existing', k.transaction_id, k.same_content, k.status, k.amount_minor, k.fee_system_minor,
         k.fee_app_minor, k.pay_token from known k
    where balances_moved((select count(*) from moved_balances), (select count(*) from balance_delta))
  union all
  select r.place, 'waiting', r.id, true, r.status, r.amount, r.fsys, r.fapp, r.tok
    from ready r where r.status = 'PENDING_APPROVAL';
end $$;
