-- The two statements that move money. Each takes a whole batch in one call and commits with it.
-- Both lock the counters of the applications concerned first, in one global order: that lock orders all that happens to
-- an application's money, so what follows may read and write without racing anybody, and no two batches can deadlock.
--
-- `nth_app` of an item is the place of its application in p_applications, which must be distinct and ascending.
--
-- Both allow nested loops over indexes only: their plans are kept for the life of a connection, and neither a plan made
-- while a table was empty nor one that reads a whole index to join a few rows may survive the table's growth. For the
-- same reason transactions are found by "the first at or after this key, in order": on an empty table the planner is as
-- happy with any index that begins with application_id, but only the right one needs no sort.

-- Which of these holds the balance covers, in order of arrival. A hold that is refused takes nothing from those after it.
create function fund_in_order(balance_minor bigint, holds bigint[]) returns boolean[] language plpgsql immutable as $$
declare
  verdicts boolean[] := array[]::boolean[];
  hold_minor bigint;
begin
  foreach hold_minor in array holds loop
    if hold_minor <= balance_minor then
      balance_minor := balance_minor - hold_minor;
      verdicts := verdicts || true;
    else
      verdicts := verdicts || false;
    end if;
  end loop;
  return verdicts;
end $$;

-- The approval band that a deposit falls in: the last band whose threshold the weighed amount is greater than.
-- What is weighed is the largest of the row, its batch, and everything the same maker sent to that phone within 24 hours,
-- so that splitting a payment dodges nothing (DESIGN 9). Null: no band fires.
create function approval_band(p_application uuid, p_maker uuid, p_source text, p_phone text, p_amount_minor bigint,
                              p_batch_minor bigint, p_earlier_minor bigint, p_bands jsonb, p_at timestamptz)
returns jsonb language plpgsql stable as $$
declare
  recent_minor bigint;
  weighed_minor bigint;
  is_first boolean;
begin
  select coalesce(sum(t.amount_minor), 0) into recent_minor
    from transactions t
    where t.application_id = p_application and t.phone_number = p_phone and t.type = 'DEPOSIT'
      and t.created_at > p_at - interval '24 hours' and t.status <> 'FAILED'
      and t.maker_id is not distinct from p_maker and (p_maker is not null or t.source = p_source);
  weighed_minor := greatest(p_amount_minor, p_batch_minor, recent_minor + p_earlier_minor + p_amount_minor);
  select not exists (select 1 from transactions t where t.application_id = p_application and t.phone_number = p_phone
                     and t.type = 'DEPOSIT' and t.status = 'SUCCESS') into is_first;
  return (select band.value from jsonb_array_elements(p_bands) with ordinality as band (value, place)
          where weighed_minor > (band.value ->> 'aboveMinor')::bigint
            and (is_first or not coalesce((band.value ->> 'firstTimeOnly')::boolean, false))
          order by band.place desc limit 1);
end $$;

-- Takes new transactions in. Returns only what the caller cannot know: rows whose externalId was there before, with
-- what is stored, and rows that approval rules sent to PENDING_APPROVAL.
create function intake_batch(p_applications uuid[], p_items json)
returns table (place integer, outcome text, transaction_id uuid, same_content boolean, status text, amount_minor bigint,
               fee_system_minor bigint, fee_app_minor bigint, pay_token text)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off as $$
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
  v_at := clock_timestamp();

  -- Only items that carry bands come here: most applications have no rule for what their API starts.
  for v_item in
    select i.*, sum(i.amount) over (partition by i.app, i.phone, i.maker order by i.place) - i.amount as earlier
      from json_to_recordset(p_items) as i (place integer, app uuid, ext uuid, phone text, amount bigint, batch_sum bigint,
                                            source text, maker uuid, bands jsonb)
      where i.bands is not null
  loop
    v_band := approval_band(v_item.app, v_item.maker, v_item.source, v_item.phone, v_item.amount,
                            coalesce(v_item.batch_sum, 0), v_item.earlier::bigint, v_item.bands, v_at);
    if v_band is not null then
      v_waiting := v_waiting || jsonb_build_object(v_item.place::text, v_band);
    end if;
  end loop;

  return query
  with item as materialized (
    select i.place, i.app, i.nth_app, i.id, i.ext, i.type, i.op, i.cur, i.name, i.phone, i.amount, i.fsys, i.fapp, i.url, i.tok,
           i.source, i.maker, i.batch, i.actor_kind, i.actor,
           case when v_waiting ? i.place::text then 'PENDING_APPROVAL' else 'PENDING' end as status
      from json_to_recordset(p_items) as i (place integer, app uuid, nth_app integer, id uuid, ext uuid, type text, op text, cur text,
        name text, phone text, amount bigint, fsys bigint, fapp bigint, url text, tok text, source text, maker uuid,
        batch uuid, actor_kind text, actor uuid)
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
           case when i.type = 'DEPOSIT' and i.status = 'PENDING' then i.amount + i.fsys + i.fapp else 0 end as hold
      from item i where i.place not in (select k.place from known k)
  ), need as materialized (
    select f.app, f.op, sum(f.hold)::bigint as total, array_agg(f.place order by f.place) as places,
           array_agg(f.hold order by f.place) as holds
      from fresh f where f.hold > 0 group by f.app, f.op
  ), refused as materialized (
    select u.place from need n
      join ledger_balances b on b.application_id = n.app and b.operator = n.op
      cross join lateral unnest(n.places, fund_in_order(b.deposit_minor, n.holds)) as u (place, is_funded)
      where n.total > b.deposit_minor and not u.is_funded
  ), ready as materialized (
    select f.*, case when f.place in (select r.place from refused r) then 0 else f.hold end as held from fresh f
  ), new_transactions as (
    insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency,
        amount_minor, fee_system_minor, fee_app_minor, held_minor, customer_name, phone_number, webhook_url, pay_token,
        source, maker_id, batch_id, created_at)
      select r.app, r.id, v_counts[r.nth_app] + r.nth, r.ext, r.type, r.status, r.op, r.cur, r.amount, r.fsys, r.fapp,
             r.held, r.name, r.phone, r.url, r.tok, r.source, r.maker, r.batch, v_at
        from ready r
  ), new_events as (
    insert into transaction_events (application_id, transaction_id, version, to_status, event, actor_kind, actor_id, at)
      select r.app, r.id, 1, r.status, 'created', r.actor_kind, r.actor, v_at from ready r
  ), new_approvals as (
    insert into approval_items (application_id, transaction_id, policy_version, rule, steps, needs_code, expires_at)
      select r.app, r.id, (b.band ->> 'policyVersion')::integer, b.band -> 'rule',
             (select array_agg(s.value::smallint) from jsonb_array_elements_text(b.band -> 'steps') as s (value)),
             (b.band ->> 'needsCode')::boolean, v_at + (b.band ->> 'expiresInHours')::integer * interval '1 hour'
        from ready r cross join lateral (select v_waiting -> r.place::text as band) b
        where r.status = 'PENDING_APPROVAL'
  ), new_postings as (
    insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, held_minor, at)
      select r.app, r.id, 'hold', r.op, r.cur, -r.held, r.held, v_at from ready r where r.held > 0
  ), moved_balances as (
    update ledger_balances b set deposit_minor = b.deposit_minor - m.held, held_minor = b.held_minor + m.held
      from (select r.app, r.op, sum(r.held)::bigint as held from ready r where r.held > 0 group by r.app, r.op) m
      where b.application_id = m.app and b.operator = m.op
  ), new_work as (
    insert into operator_work (application_id, transaction_id, operator, state, next_at)
      select r.app, r.id, r.op, case when r.held < r.hold then 'refused' else 'queued' end, v_at
        from ready r where r.status = 'PENDING'
  ), moved_days as (
    insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
      select r.app, (v_at at time zone 'UTC')::date, r.op, r.type, r.status, count(*), sum(r.amount)
        from ready r group by r.app, r.op, r.type, r.status
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
  union all
  select r.place, 'waiting', r.id, true, r.status, r.amount, r.fsys, r.fapp, r.tok
    from ready r where r.status = 'PENDING_APPROVAL';
end $$;

-- Ends the statement, and with it everything it did, where two counts that must agree do not.
create function same_number(done bigint, expected bigint) returns boolean language plpgsql stable as $$
begin
  if done <> expected then
    raise exception '% of % transactions moved: something changed them without the lock of their application', done, expected
      using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- Moves transactions along one edge each. An item whose transaction is not (or no longer) in the state that its edge
-- starts from changes nothing and is reported with what it found: is_moved false.
-- A deposit that is approved is funded here; where the balance does not cover it, it goes to PENDING unheld and the
-- dispatcher ends it as refused (DESIGN 5, Balances).
create function transition_batch(p_applications uuid[], p_items json)
returns table (place integer, is_moved boolean, status text, version integer)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off as $$
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
  v_at := clock_timestamp();

  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (place integer, app uuid, nth_app integer, id uuid, from_status text, to_status text,
      event text, message text, reason text, operator_token text, actor_kind text, actor uuid, checker uuid)
  ), found as materialized (
    select t.ctid as row_place, i.place, i.app, i.nth_app, i.id, i.from_status, i.to_status, i.event, i.message, i.reason, i.operator_token,
           i.actor_kind, i.actor, i.checker, t.status as now_status, t.version as now_version, t.type, t.operator, t.currency,
           t.amount_minor, t.fee_system_minor, t.fee_app_minor, t.held_minor, t.webhook_url, t.created_at,
           t.status = i.from_status and (i.checker is null or t.maker_id is null or i.checker <> t.maker_id)
             -- A deposit that nothing was held for cannot have been paid out of the balance.
             and not (i.to_status = 'SUCCESS' and t.type = 'DEPOSIT' and t.held_minor = 0) as may_move
      from item i
      cross join lateral (select n.*, n.ctid from transactions n where n.application_id = i.app and n.transaction_id >= i.id
                          order by n.transaction_id limit 1) t
      where t.transaction_id = i.id
  ), moving as materialized (
    select f.*, row_number() over (partition by f.app, f.to_status order by f.place) as nth,
           case when f.to_status = 'PENDING' and f.type = 'DEPOSIT'
                then f.amount_minor + f.fee_system_minor + f.fee_app_minor else 0 end as hold
      from found f where f.may_move
  ), need as materialized (
    select m.app, m.operator, sum(m.hold)::bigint as total, array_agg(m.place order by m.place) as places,
           array_agg(m.hold order by m.place) as holds
      from moving m where m.hold > 0 group by m.app, m.operator
  ), refused as materialized (
    select u.place from need n
      join ledger_balances b on b.application_id = n.app and b.operator = n.operator
      cross join lateral unnest(n.places, fund_in_order(b.deposit_minor, n.holds)) as u (place, is_funded)
      where n.total > b.deposit_minor and not u.is_funded
  ), posting as materialized (
    -- What each move does to the six accounts; see server/ledger/README.md for the table this follows.
    select m.*, case when m.place in (select r.place from refused r) then 0 else m.hold end as newly_held,
      case when m.to_status = 'SUCCESS' then 'settle' when m.to_status = 'FAILED' then 'release' else 'hold' end as posting_kind
      from moving m
  ), entry as materialized (
    select p.*,
      case when p.posting_kind = 'settle' and p.type = 'COLLECT' then p.amount_minor - p.fee_system_minor - p.fee_app_minor else 0 end as collect_delta,
      case p.posting_kind when 'hold' then -p.newly_held when 'release' then p.held_minor else 0 end as deposit_delta,
      case p.posting_kind when 'hold' then p.newly_held else -p.held_minor end as held_delta,
      case when p.posting_kind = 'settle' then p.fee_app_minor else 0 end as fees_delta,
      case when p.posting_kind <> 'settle' then 0 when p.type = 'COLLECT' then -p.amount_minor else p.amount_minor end as clearing_delta,
      case when p.posting_kind = 'settle' then p.fee_system_minor else 0 end as revenue_delta
      from posting p
  ), moved_transactions as (
    update transactions t
      set status = e.to_status, version = t.version + 1, held_minor = t.held_minor + e.held_delta,
          message = coalesce(e.message, t.message), operator_token = coalesce(e.operator_token, t.operator_token),
          checker_id = coalesce(e.checker, t.checker_id),
          final_sequence = case e.to_status when 'SUCCESS' then v_successes[e.nth_app] + e.nth when 'FAILED' then v_failures[e.nth_app] + e.nth end,
          final_at = case when e.to_status in ('SUCCESS', 'FAILED') then v_at end
      from entry e
      where t.ctid = e.row_place and t.application_id = e.app and t.transaction_id = e.id
      returning 1
  ), new_events as (
    insert into transaction_events (application_id, transaction_id, version, from_status, to_status, event, actor_kind, actor_id, reason, at)
      select e.app, e.id, e.now_version + 1, e.from_status, e.to_status, e.event, e.actor_kind, e.actor, e.reason, v_at from entry e
  ), new_postings as (
    insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor,
        held_minor, fees_minor, clearing_minor, revenue_minor, at)
      select e.app, e.id, e.posting_kind, e.operator, e.currency, e.collect_delta, e.deposit_delta, e.held_delta,
             e.fees_delta, e.clearing_delta, e.revenue_delta, v_at
        from entry e
        where e.posting_kind = 'settle' or e.deposit_delta <> 0 or e.held_delta <> 0
  ), moved_balances as (
    update ledger_balances b
      set collect_minor = b.collect_minor + d.collect_delta, deposit_minor = b.deposit_minor + d.deposit_delta,
          held_minor = b.held_minor + d.held_delta, fees_minor = b.fees_minor + d.fees_delta,
          clearing_minor = b.clearing_minor + d.clearing_delta, revenue_minor = b.revenue_minor + d.revenue_delta
      from (select e.app, e.operator, sum(e.collect_delta)::bigint as collect_delta, sum(e.deposit_delta)::bigint as deposit_delta,
                   sum(e.held_delta)::bigint as held_delta, sum(e.fees_delta)::bigint as fees_delta,
                   sum(e.clearing_delta)::bigint as clearing_delta, sum(e.revenue_delta)::bigint as revenue_delta
              from entry e group by e.app, e.operator) d
      where b.application_id = d.app and b.operator = d.operator
  ), ended_work as (
    delete from operator_work w using entry e
      where w.application_id = e.app and w.transaction_id = e.id and e.from_status = 'PENDING'
  ), new_work as (
    insert into operator_work (application_id, transaction_id, operator, state, next_at)
      select e.app, e.id, e.operator, case when e.newly_held < e.hold then 'refused' else 'queued' end, v_at
        from entry e where e.to_status = 'PENDING'
  ), new_deliveries as (
    -- Not within half a second of the creation: a webhook must not overtake the answer to the request that began it.
    insert into webhook_deliveries (application_id, transaction_id, target, next_at, created_at)
      select e.app, e.id, lower(substring(e.webhook_url from '^[A-Za-z]+://[^/?#]+')),
             greatest(v_at, e.created_at + interval '500 milliseconds'), v_at
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
    where same_number((select count(*) from moved_transactions), (select count(*) from entry));
end $$;
