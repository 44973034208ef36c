-- Locks up to p_take due webhooks of one receiver, deliveries and resends together in order of their due time.
create or replace function take_webhooks_with_resends(p_target text, p_at timestamptz, p_take integer)
returns table (applications uuid[], transactions uuid[], resends integer[])
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
begin
  return query
    select array_agg(t.application_id), array_agg(t.transaction_id), array_agg(t.resend_number)
      from (select * from (select d.application_id, d.transaction_id, 0 as resend_number, d.next_at from webhook_deliveries d
              where d.state = 'due' and d.target = p_target and d.next_at <= p_at and (d.claimed_until is null or d.claimed_until <= p_at)
              order by d.next_at limit p_take for update skip locked) d
            union all
            select * from (select r.application_id, r.transaction_id, r.number, r.next_at from webhook_resends r
              where r.outcome is null and r.target = p_target and r.next_at <= p_at
              order by r.next_at limit p_take for update skip locked) r
            order by next_at limit p_take) t;
end $$;
