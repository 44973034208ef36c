-- Returns p_targets and the receivers of the deliveries that became due in the last p_recent_ms and are not claimed, each once.
create or replace function recent_webhook_targets(p_targets text[], p_at timestamptz, p_recent_ms integer) returns text[]
language plpgsql stable set enable_seqscan = off set jit = off
set search_path from current as $$
begin
  return (select coalesce(array_agg(l.target), '{}') from (
    select u.target from unnest(p_targets) as u (target)
    union
    select r.target from (select d.target from webhook_deliveries d
      where d.state = 'due' and d.next_at <= p_at and d.next_at > p_at - p_recent_ms * interval '1 millisecond'
        and (d.claimed_until is null or d.claimed_until <= p_at)
      order by d.next_at desc limit 2000) r) l);
end $$;
