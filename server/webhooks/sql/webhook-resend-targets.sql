-- Returns the receivers for which a resend is waiting or in progress. One index descent each, so that the number of waiting
-- resends does not matter; without any, the answer is one descent.
create or replace function webhook_resend_targets() returns text[]
language sql stable set enable_seqscan = off set jit = off
set search_path from current as $$
  with recursive receiver (target) as (
    (select r.target from webhook_resends r where r.outcome is null order by r.target limit 1)
    union all
    select (select r.target from webhook_resends r where r.outcome is null and r.target > receiver.target order by r.target limit 1)
      from receiver where receiver.target is not null
  )
  select coalesce(array_agg(receiver.target), '{}') from receiver where receiver.target is not null
$$;
