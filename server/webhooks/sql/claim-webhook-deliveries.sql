-- Takes due deliveries, a few of each receiver, and commits the attempt before anything is sent: whatever crashes, an
-- attempt number is used once, so there are never more than four.
-- Receivers to look at come from three places: p_targets (a slot became free there), the receivers of what became due in
-- the last p_recent_ms (the newest first, so that no backlog hides them), and, when p_walk_max is above zero, a walk from
-- receiver to receiver, one index descent each, from p_cursor round to it again; the walk goes first and finds whatever
-- the other two have missed.
-- p_free holds how many deliveries a receiver may still be given, p_suspects the same for receivers that lately let us
-- wait, together p_suspect_rows_max; a receiver in neither may be given p_free_default, together p_default_rows_max.
-- None is given more than p_each_max.
-- A delivery whose lease is over and whose attempt was never recorded was interrupted: that is recorded here, and the
-- schedule goes on as after any other failure.
create or replace function claim_webhook_deliveries(p_rows_max integer, p_each_max integer, p_free_default integer, p_default_rows_max integer,
  p_free jsonb, p_suspects jsonb, p_suspect_rows_max integer, p_targets text[], p_recent_ms integer, p_cursor text, p_walk_max integer, p_lease_ms integer, p_gaps_ms integer[])
returns table (next_cursor text, is_walk_complete boolean, next_due_ms double precision, claimed_ms double precision, deliveries json)
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
declare
  v_at timestamptz := clock_timestamp();
  v_lease interval := p_lease_ms * interval '1 millisecond';
  v_cursor text := p_cursor;
  v_is_walking boolean := p_walk_max > 0;
  v_has_wrapped boolean := p_cursor = '';
  v_is_complete boolean := false;
  v_walked integer := 0;
  v_listed text[];
  v_served text[] := '{}';
  v_place integer := 0;
  v_target text;
  v_head timestamptz;
  v_rows integer := 0;
  v_suspect_rows integer := 0;
  v_default_rows integer := 0;
  v_is_suspect boolean;
  v_take integer;
  v_taken_applications uuid[];
  v_taken_transactions uuid[];
  v_applications uuid[] := '{}';
  v_transactions uuid[] := '{}';
  v_deliveries json;
begin
  while v_rows < p_rows_max loop
    if v_is_walking then
      select d.target, d.next_at into v_target, v_head from webhook_deliveries d
        where d.state = 'due' and d.target > v_cursor order by d.target, d.next_at limit 1;
      if v_target is null and not v_has_wrapped then
        v_has_wrapped := true;
        v_cursor := '';
        continue;
      end if;
      v_is_complete := v_target is null or (v_has_wrapped and p_cursor <> '' and v_target > p_cursor);
      v_walked := v_walked + 1;
      if v_is_complete or v_walked > p_walk_max then
        v_is_walking := false;
        continue;
      end if;
      v_cursor := v_target;
      continue when v_head > v_at;
    else
      if v_listed is null then
        select coalesce(array_agg(l.target), '{}') into v_listed from (
          (select u.target from unnest(p_targets) as u (target)
           union
           select r.target from (select d.target from webhook_deliveries d
             where d.state = 'due' and d.next_at <= v_at and d.next_at > v_at - p_recent_ms * interval '1 millisecond'
             order by d.next_at desc limit 2000) r)
          except select s.target from unnest(v_served) as s (target)) l;
      end if;
      v_place := v_place + 1;
      exit when v_place > cardinality(v_listed);
      v_target := v_listed[v_place];
    end if;
    v_is_suspect := p_suspects ? v_target;
    v_take := least(p_rows_max - v_rows, p_each_max, case when v_is_suspect
      then least((p_suspects ->> v_target)::integer, p_suspect_rows_max - v_suspect_rows)
      else coalesce((p_free ->> v_target)::integer, least(p_free_default, p_default_rows_max - v_default_rows)) end);
    continue when v_take <= 0;
    select array_agg(r.application_id), array_agg(r.transaction_id) into v_taken_applications, v_taken_transactions
      from (select d.application_id, d.transaction_id from webhook_deliveries d
              where d.state = 'due' and d.target = v_target and d.next_at <= v_at
              order by d.next_at limit v_take for update skip locked) r;
    continue when v_taken_applications is null;
    -- Whom the walk served the list does not serve again: what it may be given is counted per call.
    v_served := v_served || v_target;
    v_applications := v_applications || v_taken_applications;
    v_transactions := v_transactions || v_taken_transactions;
    v_rows := v_rows + cardinality(v_taken_applications);
    if v_is_suspect then
      v_suspect_rows := v_suspect_rows + cardinality(v_taken_applications);
    elsif not p_free ? v_target then
      v_default_rows := v_default_rows + cardinality(v_taken_applications);
    end if;
  end loop;

  if v_rows > 0 then
    with taken as materialized (
      select u.place, d.application_id, d.transaction_id, d.target, d.attempts, d.next_at,
             d.attempts > 0 and not exists (select 1 from webhook_attempts a
               where a.application_id = d.application_id and a.transaction_id = d.transaction_id and a.number = d.attempts) as is_lapsed
        from unnest(v_applications, v_transactions) with ordinality as u (application_id, transaction_id, place)
        join webhook_deliveries d on d.application_id = u.application_id and d.transaction_id = u.transaction_id
    ), sorted as materialized (
      select t.*, case when t.is_lapsed and t.attempts >= 4 then 'end'
                       when t.is_lapsed and p_gaps_ms[t.attempts] > p_lease_ms then 'wait'
                       else 'send' end as fate
        from taken t
    ), interrupted as (
      insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome, detail)
        select s.application_id, s.transaction_id, s.attempts, s.next_at - v_lease, 0, 'interrupted',
               'The service stopped during this attempt; whether the receiver answered is not known.'
          from sorted s where s.is_lapsed
        on conflict do nothing
    ), moved as (
      update webhook_deliveries d
        set state = case s.fate when 'end' then 'exhausted' else 'due' end,
            attempts = d.attempts + case s.fate when 'send' then 1 else 0 end,
            next_at = case s.fate when 'send' then v_at + v_lease
                                  when 'wait' then s.next_at + (p_gaps_ms[s.attempts] - p_lease_ms) * interval '1 millisecond'
                                  else d.next_at end,
            finished_at = case s.fate when 'end' then v_at end
        from sorted s
        where d.application_id = s.application_id and d.transaction_id = s.transaction_id
    )
    select json_agg(json_build_array(s.application_id, s.transaction_id, s.attempts + 1, s.target, t.webhook_url, t.external_id,
                                     t.status, t.amount_minor::text, t.phone_number, t.operator, t.message,
                                     to_char(t.final_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                                     extract(epoch from s.next_at)::double precision * 1000) order by s.place)
      into v_deliveries
      from sorted s join transactions t on t.application_id = s.application_id and t.transaction_id = s.transaction_id
      where s.fate = 'send';
  end if;

  return query
    select v_cursor, v_is_complete,
           (select extract(epoch from d.next_at - clock_timestamp())::double precision * 1000 from webhook_deliveries d
              where d.state = 'due' and d.next_at > v_at order by d.next_at limit 1),
           extract(epoch from v_at)::double precision * 1000, coalesce(v_deliveries, '[]'::json);
end $$;
