-- Takes due webhooks, a few of each receiver, and commits their attempts before anything is sent (start_webhook_attempts).
-- p_items has one row, the limits of this claim. Receivers are read in this order:
--   1. receivers for which a person requested a resend: rare, so the steps below are not slowed down to find them;
--   2. if walk_receivers_max is above zero, a walk from receiver to receiver after `cursor`, one index descent each, which
--      finds what step 3 misses;
--   3. `targets` (a slot became free there), and the receivers of what became due in the last recent_ms, the newest first,
--      so that no backlog hides them.
-- p_free has how many webhooks a receiver may still receive, by target, p_suspects the same for receivers whose last attempt
-- timed out, suspect_rows_max for all of those together. A receiver in neither may receive unlisted_each, all of them together
-- unlisted_rows_max. None receives more than each_max.
create or replace function claim_webhooks(p_items json, p_free jsonb, p_suspects jsonb)
returns table (next_cursor text, is_walk_complete boolean, next_due_ms integer, claimed_at timestamptz, webhooks json)
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
declare
  v_request record;
  v_at timestamptz := clock_timestamp();
  v_source text := 'resends';
  v_cursor text;
  v_has_wrapped boolean;
  v_is_complete boolean := false;
  v_walked integer := 0;
  v_resend_targets text[] := webhook_resend_targets();
  v_listed text[] := v_resend_targets;
  v_position integer := 0;
  v_served text[] := '{}';
  v_target text;
  v_head timestamptz;
  v_rows integer := 0;
  v_suspect_rows integer := 0;
  v_unlisted_rows integer := 0;
  v_is_suspect boolean;
  v_take integer;
  v_taken record;
  v_own record;
  v_applications uuid[] := '{}';
  v_transactions uuid[] := '{}';
  v_resends integer[] := '{}';
  v_webhooks json;
begin
  select * into strict v_request from json_to_recordset(p_items) as request (rows_max integer, each_max integer,
    suspect_rows_max integer, unlisted_each integer, unlisted_rows_max integer, targets text[], recent_ms integer, cursor text,
    walk_receivers_max integer, lease_ms integer, gaps_ms integer[]);
  v_cursor := v_request.cursor;
  v_has_wrapped := v_cursor = '';

  while v_rows < v_request.rows_max loop
    if v_source = 'walk' then
      if v_is_complete or v_walked >= v_request.walk_receivers_max then
        v_source := 'recent';
        v_listed := recent_webhook_targets(v_request.targets, v_at, v_request.recent_ms);
        v_position := 0;
        -- Most are receivers with slots of their own, which one statement serves; the loop goes on with the others.
        select array_agg(l.target) as targets, array_agg(least((p_free ->> l.target)::integer, v_request.each_max)) as takes into v_own
          from unnest(v_listed) as l (target)
          where p_free ? l.target and not p_suspects ? l.target and l.target <> all (v_served) and l.target <> all (v_resend_targets)
            and (p_free ->> l.target)::integer > 0;
        select array_agg(w.application_id) as applications, array_agg(w.transaction_id) as transactions, array_agg(0) as resends into v_taken
          from (select t.application_id, t.transaction_id from unnest(v_own.targets, v_own.takes) as o (target, take)
                  cross join lateral (select d.application_id, d.transaction_id from webhook_deliveries d
                    where d.state = 'due' and d.target = o.target and d.next_at <= v_at
                      and (d.claimed_until is null or d.claimed_until <= v_at)
                    order by d.next_at limit o.take for update skip locked) t
                  limit v_request.rows_max - v_rows) w;
        v_served := v_served || v_own.targets;
        v_applications := v_applications || v_taken.applications;
        v_transactions := v_transactions || v_taken.transactions;
        v_resends := v_resends || v_taken.resends;
        v_rows := v_rows + coalesce(cardinality(v_taken.applications), 0);
        continue;
      end if;
      select d.target, d.next_at into v_target, v_head from webhook_deliveries d
        -- Claimed deliveries are passed over here, because a receiver that hangs has nothing else.
        where d.state = 'due' and d.target > v_cursor and (d.claimed_until is null or d.claimed_until <= v_at)
        order by d.target, d.next_at limit 1;
      if v_target is null and not v_has_wrapped then
        v_has_wrapped := true;
        v_cursor := '';
        continue;
      end if;
      v_walked := v_walked + 1;
      v_is_complete := v_target is null or (v_has_wrapped and v_request.cursor <> '' and v_target > v_request.cursor);
      continue when v_is_complete;
      v_cursor := v_target;
      continue when v_head > v_at;
    else
      v_position := v_position + 1;
      v_target := v_listed[v_position];
      if v_target is null then
        exit when v_source = 'recent';
        v_source := 'walk';
        continue;
      end if;
    end if;

    -- A receiver's allowance is counted per claim, so each is served once.
    continue when v_target = any (v_served);
    v_is_suspect := p_suspects ? v_target;
    v_take := least(v_request.rows_max - v_rows, v_request.each_max, case when v_is_suspect
      then least((p_suspects ->> v_target)::integer, v_request.suspect_rows_max - v_suspect_rows)
      else coalesce((p_free ->> v_target)::integer, least(v_request.unlisted_each, v_request.unlisted_rows_max - v_unlisted_rows)) end);
    continue when v_take <= 0;
    if v_target = any (v_resend_targets) then
      select * into v_taken from take_webhooks_with_resends(v_target, v_at, v_take);
    else
      select array_agg(t.application_id) as applications, array_agg(t.transaction_id) as transactions, array_agg(0) as resends into v_taken
        from (select d.application_id, d.transaction_id from webhook_deliveries d
                where d.state = 'due' and d.target = v_target and d.next_at <= v_at
                  and (d.claimed_until is null or d.claimed_until <= v_at)
                order by d.next_at limit v_take for update skip locked) t;
    end if;
    continue when v_taken.applications is null;
    v_served := v_served || v_target;
    v_applications := v_applications || v_taken.applications;
    v_transactions := v_transactions || v_taken.transactions;
    v_resends := v_resends || v_taken.resends;
    v_rows := v_rows + cardinality(v_taken.applications);
    if v_is_suspect then
      v_suspect_rows := v_suspect_rows + cardinality(v_taken.applications);
    elsif not p_free ? v_target then
      v_unlisted_rows := v_unlisted_rows + cardinality(v_taken.applications);
    end if;
  end loop;

  if v_rows > 0 then
    select json_agg(s) into v_webhooks
      from start_webhook_attempts(v_applications, v_transactions, v_resends, v_at, v_request.lease_ms, v_request.gaps_ms) s;
  end if;
  return query
    select v_cursor, v_is_complete,
           (select least(extract(epoch from d.next_at - clock_timestamp()) * 1000, 2147483647)::integer from webhook_deliveries d
              where d.state = 'due' and d.next_at > v_at order by d.next_at limit 1),
           v_at, coalesce(v_webhooks, '[]'::json);
end $$;
